#include "src/runtime/growing_form.h"

#include <algorithm>

#include "src/kernels/reference/evaluate.h"

namespace webnn::inline v0_1 {
namespace {

std::optional<std::size_t> place(const GraphData& open, const OperandRecord& r, std::size_t d) {
  return r.open ? place_of(open, r.open->dimensions[d]) : std::nullopt;
}

const NamedUpdate* update_of(const std::vector<NamedUpdate>& updates, const std::string& input) {
  const auto found = std::ranges::find(updates, input, &NamedUpdate::input);
  return found != updates.end() && found->axis ? &*found : nullptr;
}

}  // namespace

bool GrowingForm::matches(const GraphData& open, const DimensionSizes& given,
                          std::uint32_t joined) const {
  if (joined != sequences) return false;
  const std::uint64_t before = given[past], all = before + fresh;
  if (before == 0 || all > capacity) return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const MLDynamicDimension& d = open.dimensions[i];
    if (given[i] < d.minSize || given[i] > d.maxSize) return false;
    if (i != past && given[i] != (totals[i] ? all : std::uint64_t{sizes[i]})) return false;
  }
  return true;
}

std::optional<std::size_t> growing_dimension(const Graph& graph,
                                             const std::vector<NamedUpdate>& updates) {
  const GraphData& open = data_of(graph);
  std::optional<std::size_t> past;
  for (const auto& [name, x] : open.inputs)
    if (const NamedUpdate* u = update_of(updates, name)) {
      const auto own = place(open, x.record(), *u->axis);
      if (!own || (past && *past != *own)) return std::nullopt;
      past = own;
    }
  if (!past) return std::nullopt;
  for (const auto& [name, x] : open.inputs)
    for (std::size_t d = 0; d < x.record().descriptor.shape.size(); ++d) {
      const NamedUpdate* u = update_of(updates, name);
      const auto own = place(open, x.record(), d);
      if (own && *own == *past && (!u || *u->axis != d)) return std::nullopt;
    }
  return past;
}

std::vector<bool> possible_totals(const Graph& graph, const std::vector<NamedUpdate>& updates) {
  const GraphData& open = data_of(graph);
  std::vector<bool> last(open.dimensions.size()), elsewhere(open.dimensions.size());
  for (const auto& [name, x] : open.inputs) {
    const std::size_t rank = x.record().descriptor.shape.size();
    for (std::size_t d = 0; d < rank; ++d)
      if (const auto i = place(open, x.record(), d))
        (d + 1 == rank && !update_of(updates, name) ? last : elsewhere)[*i] = true;
  }
  for (std::size_t i = 0; i < last.size(); ++i) last[i] = last[i] && !elsewhere[i];
  return last;
}

namespace {

/// How many rows a run adds to each state; nothing if that differs.
std::optional<std::uint32_t> rows_added(const GraphData& open,
                                        const std::vector<NamedUpdate>& updates, SizedGraph& at,
                                        std::uint32_t before) {
  std::optional<std::uint32_t> rows;
  for (const NamedUpdate& u : updates) {
    if (!u.axis) continue;
    const auto out = std::ranges::find(open.outputs, u.output, &NamedOperand::name);
    const Dims& shape = at.at(out->operand).record().descriptor.shape;
    const std::uint32_t all = *u.axis < shape.size() ? shape[*u.axis] : 0;
    if (all <= before || (rows && *rows != all - before)) return std::nullopt;
    rows = all - before;
  }
  return rows;
}

/// The form in which these dimensions have the size of the states after the run.
std::optional<GrowingForm> form_with(const GraphData& open, const std::vector<NamedUpdate>& updates,
                                     const DimensionSizes& given, GrowingForm form,
                                     std::vector<bool> totals) {
  form.totals = std::move(totals);
  form.sizes = given;
  DimensionSizes shorter = given;
  form.sizes[form.past] = form.capacity - form.fresh;
  shorter[form.past] = form.capacity - form.fresh - 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (form.totals[i]) form.sizes[i] = form.capacity, shorter[i] = form.capacity - 1;
  for (const auto& [name, x] : open.inputs) {
    const OperandRecord& r = x.record();
    const auto last =
        r.descriptor.shape.empty() ? std::nullopt : place(open, r, r.descriptor.shape.size() - 1);
    if (last && form.totals[*last]) form.masks.push_back(name);
  }
  SizedGraph full(open, form.sizes, &evaluate), before(open, shorter, &evaluate);
  if (full.add_all() || before.add_all() ||
      rows_added(open, updates, full, form.sizes[form.past]) != form.fresh)
    return std::nullopt;
  auto parts = length_parts(open, updates, {full, form.lengths(form.sizes)},
                            {before, form.lengths(shorter)});
  if (!parts) return std::nullopt;
  if (form.sequences > 0 && (form.fresh != 1 || !parts->values.empty())) return std::nullopt;
  form.parts = std::move(*parts);
  return form;
}

}  // namespace

std::optional<GrowingForm> growing_form(const Graph& graph, const std::vector<NamedUpdate>& updates,
                                        const DimensionSizes& given, std::uint32_t joined) {
  const GraphData& open = data_of(graph);
  const auto past = growing_dimension(graph, updates);
  if (!past || given[*past] == 0) return std::nullopt;
  GrowingForm form{.past = *past, .capacity = open.dimensions[*past].maxSize, .sequences = joined};
  {
    SizedGraph now(open, given, &evaluate);
    if (now.add_all()) return std::nullopt;
    const auto rows = rows_added(open, updates, now, given[*past]);
    if (!rows) return std::nullopt;
    form.fresh = *rows;
  }
  const std::uint32_t least = std::max(open.dimensions[*past].minSize, 1u);
  if (form.capacity < std::uint64_t{form.fresh} + least + 1) return std::nullopt;
  std::vector<bool> totals = possible_totals(graph, updates);
  for (std::size_t i = 0; i < given.size(); ++i)
    totals[i] = totals[i] && given[i] == given[*past] + form.fresh;
  if (auto found = form_with(open, updates, given, form, totals)) return found;
  // Others may have that size by chance, such as a number of results.
  if (std::ranges::count(totals, true) < 2) return std::nullopt;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    std::vector<bool> one(totals.size());
    one[i] = true;
    if (totals[i])
      if (auto found = form_with(open, updates, given, form, std::move(one))) return found;
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1
