// An operator on given data, on every backend there is.
#pragma once

#include <span>

#include "tests/support/random.h"
#include "tests/support/tolerance.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// What a test builds from its operands: one operator, or several.
struct Build {
  using Operands = std::span<const MLOperand>;
  std::function<std::vector<MLOperand>(MLGraphBuilder&, Operands)> all;

  template <class F>
  requires std::is_invocable_v<F, MLGraphBuilder&, Operands> Build(F f)
      : all([f](MLGraphBuilder& b, Operands x) -> std::vector<MLOperand> {
          if constexpr (std::is_same_v<std::invoke_result_t<F, MLGraphBuilder&, Operands>,
                                       MLOperand>)
            return {f(b, x)};
          else return f(b, x);
        }) {}
};

struct Case {
  Build build;
  std::vector<Tensor> inputs{};
  std::vector<Tensor> expected{};
  Tolerance tolerance{};
  std::vector<std::size_t> constants{};  ///< inputs given as constants; the others to compute()
};

/// "reference", each other backend of this build before it, and the default.
std::vector<std::vector<BackendChoice>> backend_orders();

/// The results of a graph on one order of backends.
std::vector<Tensor> run(const Build& build, std::span<const Tensor> inputs,
                        std::vector<BackendChoice> order = {"reference"},
                        std::span<const std::size_t> constants = {});

/// Runs the case on all orders of backends and compares with what is expected; and the reference
/// kernel of its operator tile by tile, in the reverse order: the same bits.
void check(const Case& c);

/// Compares with a second witness: the results of `other`, on the reference kernels, are expected.
void check_same(const Build& build, const Build& other, const std::vector<Tensor>& inputs,
                Tolerance tolerance);

/// y = f(x) for each element of random tensors of each type, `f` in double.
void check_elementwise(const Build& build, DataTypes types, std::string_view op,
                       const std::function<double(double)>& f, double low = -6, double high = 6);

/// y = f(x) for pairs of x and y, in each type.
void check_values(const Build& build, DataTypes types, std::string_view op,
                  const std::vector<std::pair<double, double>>& values);

/// y = f(a, b) for random tensors that broadcast, in each type; results of type `result`, or of
/// the operands'.
void check_binary(const Build& build, DataTypes types, std::string_view op,
                  const std::function<double(double, double)>& f, double low = -6, double high = 6,
                  std::optional<MLOperandDataType> result = std::nullopt);

}  // namespace webnn::inline v0_1::test
