#include "src/formats/executorch/import/delegate.h"

#include <algorithm>
#include <map>

#include "src/formats/common/failures.h"
#include "src/formats/executorch/import/dynamic.h"
#include "src/formats/executorch/import/node.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

constexpr std::uint32_t max_externals = 4096;  // the limit of XNNPACK's own reader

}  // namespace

Delegate::Delegate(Import& import, Blob blob, std::string where)
    : import_(import), blob_(std::move(blob)), where_(std::move(where)) {
  for (const ValueName& n : value_names(blob_)) names_.emplace(n.id, n.name);
  read_values();
}

void Delegate::refuse(const Failure& f) const {
  executorch::refuse(import_.source, {prefix_ + f.message});
}
void Delegate::raise_by_name(const Failure& f) const {
  raise_named(import_.source, {prefix_ + f.message, f.name});
}

void Delegate::read_values() {
  const xnn::Graph& graph = *blob_.graph;
  if (graph.num_externs() > max_externals)
    refuse(fail("it has {} external values, more than {}", graph.num_externs(), max_externals));
  if (auto bad = import_.budget.count(size_of(graph.xvalues()) + size_of(graph.xnodes())))
    refuse(*bad);
  for (fb::uoffset_t i = 0; i < size_of(graph.xvalues()); ++i) {
    auto v = read_value(import_, blob_, *graph.xvalues()->Get(i));
    if (!v) raise_by_name(v.failure());
    if (v->id == no_value || !index_.emplace(v->id, values_.size()).second)
      refuse(fail("two values have the id {}", v->id));
    if ((v->is_input() || v->is_output()) && v->external_id >= max_externals)
      refuse(fail("{}: its external id ({}) is not below {}", v->text(), v->external_id,
                  max_externals));
    if (v->is_input()) inputs_.push_back({v->external_id, v->id});
    if (v->is_output()) outputs_.push_back({v->external_id, v->id});
    values_.push_back(std::move(*v));
  }
  stored_.resize(values_.size());
  for (auto* list : {&inputs_, &outputs_}) {
    std::ranges::sort(*list, {}, &External::external_id);
    const auto same = std::ranges::adjacent_find(*list, {}, &External::external_id);
    if (same != list->end()) refuse(fail("two values have the external id {}", same->external_id));
  }
}

const ValueInfo& Delegate::info(std::uint32_t id) const {
  const auto found = index_.find(id);
  if (found == index_.end()) refuse(fail("there is no value {}", id));
  return values_[found->second];
}

bool Delegate::has_value(std::uint32_t id) const {
  const auto found = index_.find(id);
  return found != index_.end() && stored_[found->second];
}

const Stored& Delegate::value(std::uint32_t id) {
  const ValueInfo& v = info(id);
  Stored& s = stored_[index_.at(id)];
  if (s) return s;
  if (v.constant == 0)
    refuse(
        fail("{} is read before it is written: it is not a constant, and no earlier node writes it",
             v.text()));
  auto bytes = constant_of(import_, blob_, v);
  if (!bytes) raise_by_name(bytes.failure());
  s.elements = import_.builder.constant(*descriptor_of(v), std::move(*bytes));
  return s;
}

void Delegate::set(std::uint32_t id, Stored value) {
  const ValueInfo& v = info(id);
  Stored& s = stored_[index_.at(id)];
  if (v.is_input() || v.constant)
    refuse(fail("{} is written, but it is an input or a constant", v.text()));
  if (s) refuse(fail("{} is written twice", v.text()));
  s = std::move(value);
}

void Delegate::set_input(std::uint32_t id, MLOperand x) {
  const ValueInfo& v = info(id);
  Stored& s = stored_[index_.at(id)];
  if (!v.dynamic_dims || !import_.options.dynamic_quantization) s = {std::move(x), std::nullopt};
  else s = quantized_in_run(import_, x, *v.dynamic_dims);
}

std::string_view Delegate::name(std::uint32_t id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? std::string_view() : found->second;
}

std::optional<std::uint32_t> Delegate::id_named(std::string_view name) const {
  for (const ValueInfo& v : values_)
    if (!name.empty() && this->name(v.id) == name) return v.id;
  return std::nullopt;
}

/// Names all kinds at once that have no handler.
void Delegate::check_kinds() {
  const auto* nodes = blob_.graph->xnodes();
  std::map<std::string, std::size_t> unknown;
  for (fb::uoffset_t i = 0; i < size_of(nodes); ++i)
    if (const auto kind = nodes->Get(i)->node_type(); !handler_of(kind))
      ++unknown[format("{} ({})", {name_of_kind(kind), static_cast<int>(kind)})];
  if (unknown.empty()) return;
  const std::string list = joined(unknown, ", ", [](const auto& found) {
    return found.first + format(" {} times", {found.second});
  });
  raise_by_name({"nodes without a WebNN counterpart: " + list, ErrorName::NotSupportedError});
}

void Delegate::import_nodes() {
  check_kinds();
  const auto* nodes = blob_.graph->xnodes();
  const std::string where = std::exchange(prefix_, {});
  for (fb::uoffset_t i = 0; i < size_of(nodes); ++i) {
    const xnn::Node& table = *nodes->Get(i);
    try {
      NodeCall call(*this, table);
      if (!table.node()) call.refuse(fail("it has no table"));
      handler_of(table.node_type())(call);
    } catch (const Error& e) {
      formats::rethrow(e, where + format("node {} ({})", {i, name_of_kind(table.node_type())}),
                       "executorch", import_.source.label);
    }
  }
  prefix_ = where;
}

}  // namespace webnn::inline v0_1::executorch
