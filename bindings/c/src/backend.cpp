// Kernels of the caller, and what they see of a graph.
#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "bindings/c/src/caller_kernel.h"
#include "webnn/backend.h"

/// Made for one call of webnn_backend_callbacks::lower.
struct webnn_chain {
  struct Operand {
    webnn::NamedOperand named;
    webnn_operand_origin origin;
    std::size_t index;
  };

  explicit webnn_chain(webnn::Chain c);

  const webnn::Chain nodes;
  std::vector<webnn::MLOperand> inputs{};        // those of webnn::inputs_of()
  std::vector<std::vector<Operand>> operands{};  // by operator
  mutable std::deque<std::string> texts{};       // of attributes that were asked for
};

webnn_chain::webnn_chain(webnn::Chain c) : nodes(c) {
  std::unordered_map<const webnn::OperandRecord*, std::size_t> made;  // and by which operator
  for (std::size_t i = 0; i < c.size(); ++i) {
    std::vector<Operand>& all = operands.emplace_back();
    for (webnn::NamedOperand& named : c[i].named_inputs()) {
      const auto at = made.find(&named.operand.record());
      if (at == made.end()) inputs.push_back(named.operand);
      if (at == made.end())
        all.push_back({std::move(named), WEBNN_ORIGIN_INPUT, inputs.size() - 1});
      else all.push_back({std::move(named), WEBNN_ORIGIN_OPERATOR, at->second});
    }
    made.emplace(&c[i].output().record(), i);
  }
}

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_backend_callbacks default_callbacks = WEBNN_BACKEND_CALLBACKS_INIT;

class CallerBackend final : public Backend, public std::enable_shared_from_this<CallerBackend> {
 public:
  explicit CallerBackend(const webnn_backend_callbacks& callbacks)
      : callbacks_(callbacks), name_(view(callbacks.name)) {}
  std::string_view name() const override { return name_; }

  Lowering lower(Chain nodes) const override {
    const webnn_chain chain(nodes);
    webnn_kernel kernel = default_kernel;
    webnn_string refusal{};
    if (callbacks_.lower(callbacks_.user, &chain, &kernel, &refusal))
      return to_kernel(kernel, shared_from_this());
    return Refusal{std::string(view(refusal))};
  }
  DataTypes supported_types(std::size_t kind) const override {
    if (!callbacks_.supported_types) return types::stored;
    DataTypes all;
    all.bits = static_cast<std::uint16_t>(
        callbacks_.supported_types(callbacks_.user, to_c(ops::AllOps::names[kind])));
    return all & types::stored;
  }

  std::unique_ptr<Owner> owner = std::make_unique<Owner>();

 private:
  const webnn_backend_callbacks callbacks_;
  const std::string name_;
};

int32_t store(const MLOperand& x, webnn_value* value) {
  if (!value) return 0;
  const Constant* constant = x.constant();
  const bool kept = constant && !constant->released();
  *value = {to_c(x.dataType(), x.shape()), kept ? constant->bytes().data() : nullptr,
            kept ? constant->bytes().size() : 0};
  return 1;
}

/// Writes as much as the caller's struct, which may be older, has room for.
int32_t store(const webnn_chain::Operand& x, webnn_chain_operand* operand) {
  webnn_chain_operand all = WEBNN_CHAIN_OPERAND_INIT;
  if (!operand || operand->struct_size < sizeof all.struct_size) return 0;
  all.struct_size = operand->struct_size;
  all.row = to_c(x.named.name);
  store(x.named.operand, &all.value);
  all.origin = x.origin, all.index = x.index;
  std::memcpy(operand, &all, std::min(all.struct_size, sizeof all));
  return 1;
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_backend_named(webnn_string name, webnn_backend** backend, webnn_error** error) {
  return guarded(error, [&] {
    need(backend, {"backend", "backend"});
    *backend = new webnn_backend(webnn::BackendChoice(text(name, {"backend", "name"})));
  });
}
webnn_status webnn_backend_create(const webnn_backend_callbacks* callbacks, webnn_backend** backend,
                                  webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view function = "backend";
    need(backend, {function, "backend"});
    need(callbacks, {function, "callbacks"});
    const auto all = complete(callbacks, default_callbacks, function);
    need(all.lower, {function, "lower"});
    if (text(all.name, {function, "name"}).empty()) Where{function, "name"}.reject("is empty");
    const auto made = std::make_shared<CallerBackend>(all);
    *backend = new webnn_backend(webnn::BackendChoice(made));
    made->owner->release = all.release, made->owner->user = all.user;
  });
}
webnn_backend* webnn_backend_retain(webnn_backend* backend) { return retain(backend); }
void webnn_backend_release(webnn_backend* backend) { release(backend); }

size_t webnn_chain_length(const webnn_chain* chain) { return chain->nodes.size(); }
webnn_string webnn_chain_operator(const webnn_chain* chain, size_t i) {
  return i < chain->nodes.size() ? to_c(chain->nodes[i].name()) : webnn_string{};
}
webnn_string webnn_chain_label(const webnn_chain* chain, size_t i) {
  return i < chain->nodes.size() ? to_c(chain->nodes[i].label()) : webnn_string{};
}
webnn_string webnn_chain_attribute(const webnn_chain* chain, size_t i, webnn_string name) {
  try {
    if (i >= chain->nodes.size()) return {};
    for (const auto& attribute : chain->nodes[i].attributes())
      if (attribute.name == view(name)) return to_c(chain->texts.emplace_back(attribute.value));
  } catch (...) {  // there is not enough memory
  }
  return {};
}
size_t webnn_chain_input_count(const webnn_chain* chain) { return chain->inputs.size(); }
int32_t webnn_chain_input(const webnn_chain* chain, size_t i, webnn_value* value) {
  return i < chain->inputs.size() ? store(chain->inputs[i], value) : 0;
}
size_t webnn_chain_operand_count(const webnn_chain* chain, size_t i) {
  return i < chain->operands.size() ? chain->operands[i].size() : 0;
}
int32_t webnn_chain_operand_at(const webnn_chain* chain, size_t i, size_t n,
                               webnn_chain_operand* operand) {
  return n < webnn_chain_operand_count(chain, i) ? store(chain->operands[i][n], operand) : 0;
}
int32_t webnn_chain_operand_in(const webnn_chain* chain, size_t i, webnn_string row, size_t n,
                               webnn_chain_operand* operand) {
  if (i >= chain->operands.size()) return 0;
  for (const webnn_chain::Operand& x : chain->operands[i])
    if (x.named.name == view(row) && n-- == 0) return store(x, operand);
  return 0;
}
size_t webnn_chain_output_count(const webnn_chain* chain) {
  return chain->nodes.back().outputs().size();
}
int32_t webnn_chain_output(const webnn_chain* chain, size_t i, webnn_value* value) {
  return i < webnn_chain_output_count(chain) ? store(chain->nodes.back().output(i), value) : 0;
}
