// What the functions of the operators have in common.
#pragma once

#include "bindings/c/src/values.h"

namespace webnn::inline v0_1::c {

/// Where the results of an operator go: an array with room for `capacity` of them; their number is
/// stored where there may be several.
struct Results {
  webnn_operand** operands;
  std::size_t capacity;
  std::size_t* length;

  /// Before the operator is added.
  void check(std::string_view op) const { need(operands, {op, length ? "outputs" : "output"}); }
  void store(std::string_view op, std::span<const MLOperand> results) const;
};

template <class Op, class Options, class Fill>
webnn_status append(webnn_builder* builder, const Options* options, const Options& defaults,
                    Results results, webnn_error** error, Fill fill) noexcept {
  return guarded(error, [&] {
    constexpr std::string_view name = Op::declaration.name;
    need(builder, {name, "builder"});
    results.check(name);
    Op op{};
    const Options all = complete(options, defaults, name);
    op.options.label = text(all.label, {name, "label"});
    fill(op, all, name);
    if constexpr (ops::returns_list<Op>())
      results.store(name, builder->value.append(std::move(op)));
    else results.store(name, std::array{builder->value.append(std::move(op))});
  });
}

}  // namespace webnn::inline v0_1::c
