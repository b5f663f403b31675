// opSupportLimits(): members, limits of tensors, and what backends add to them.
#include <map>

#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

/// Takes relu on float32 and nothing else.
struct OnlyRelu : Backend {
  std::string_view name() const override { return "only-relu"; }
  Lowering lower(Chain chain) const override {
    if (chain.size() > 1 || !chain.front().as<ops::relu>()) return Refusal{"only relu"};
    return Candidate{.name = "relu", .run = [](Range, const Buffers&, std::byte*) {}};
  }
};
struct OnlyReluSaysSo : OnlyRelu {
  DataTypes supported_types(std::size_t kind) const override {
    return kind == ops::AllOps::index_of<ops::relu>() ? DataTypes{float32, uint8} : DataTypes{};
  }
};

}  // namespace

TEST_CASE("the limits of tensors") {
  const MLOpSupportLimits limits = test::plain_context().opSupportLimits();
  CHECK(limits.maxTensorByteLength == 0x7fffffff);
  CHECK(limits.preferredInputLayout == MLInputOperandLayout::nhwc);
  const MLTensorLimits any{types::stored, {0, 8}};
  CHECK(limits.input == any);
  CHECK(limits.constant == any);
  CHECK(limits.output == any);
  CHECK(limits.find("conv2d", "filter")->rankRange == ops::Ranks{4, 4});
  CHECK(limits.find("conv2d", "filter")->dataTypes == types::floats);
  CHECK(limits.find("relu", "input")->dataTypes == types::signed_numbers);
  CHECK(limits.find("conv2d", "scale") == nullptr);
  CHECK(limits.find("fold", "input") == nullptr);
}

TEST_CASE("the limits have the spec's members") {
  const MLOpSupportLimits limits = test::plain_context().opSupportLimits();
  const auto members = [&](const MLOpSupportLimits::Entry& e) {
    std::string s;
    for (const auto& row : e.rows) s += (s.empty() ? "" : " ") + std::string(row.name);
    return s;
  };
  const std::map<std::string_view, std::string> others{
      {"logicalNot", "a output"},
      {"isNaN", "a output"},
      {"isInfinite", "a output"},
      {"batchNormalization", "input mean variance scale bias output"},
      {"instanceNormalization", "input scale bias output"},
      {"layerNormalization", "input scale bias output"},
      {"concat", "inputs output"},
      {"conv2d", "input filter bias output"},
      {"convTranspose2d", "input filter bias output"},
      {"quantizeLinear", "input scale zeroPoint output"},
      {"dequantizeLinear", "input scale zeroPoint output"},
      {"gather", "input indices output"},
      {"gatherElements", "input indices output"},
      {"gatherND", "input indices output"},
      {"scatterElements", "input indices updates output"},
      {"scatterND", "input indices updates output"},
      {"gemm", "a b c output"},
      {"gru", "input weight recurrentWeight bias recurrentBias initialHiddenState output0 output1"},
      {"gruCell", "input weight recurrentWeight hiddenState bias recurrentBias output"},
      {"lstm",
       "input weight recurrentWeight bias recurrentBias peepholeWeight initialHiddenState "
       "initialCellState output0 output1 output2"},
      {"lstmCell",
       "input weight recurrentWeight hiddenState cellState bias recurrentBias peepholeWeight "
       "output0 output1"},
      {"prelu", "input slope output"},
      {"split", "input outputs"},
      {"range", "start limit delta output"},
      {"reshapeDynamic", "input newShape output"},
      {"expandDynamic", "input newShape output"},
      {"tileDynamic", "input repetitions output"},
      {"sliceDynamic", "input starts sizes output"},
      {"padDynamic", "input beginningPadding endingPadding output"},
      {"splitDynamic", "input splits outputs"},
      {"resample2dDynamic", "input sizes output"},
      {"where", "condition trueValue falseValue output"}};
  for (const auto& e : limits.entries()) {
    const auto other = others.find(e.op);
    const std::string rows = members(e);
    INFO(e.op);
    if (other != others.end()) CHECK(rows == other->second);
    else CHECK((rows == "input output" || rows == "a b output"));
  }
}

TEST_CASE("the limits follow the backends of the context") {
  MLContext context({.threads = 1, .backends = {std::make_shared<OnlyReluSaysSo>()}});
  const MLOpSupportLimits limits = context.opSupportLimits();
  CHECK(limits.find("relu", "input")->dataTypes == DataTypes{float32});  // what both backends say
  CHECK(limits.find("relu", "output")->dataTypes == DataTypes{float32});
  CHECK(limits.find("argMin", "input")->dataTypes == DataTypes{});
  CHECK(limits.find("argMin", "output")->dataTypes == DataTypes{});
  MLGraphBuilder b(context);
  const MLOperand y = b.neg(b.input("x", {float32, {2}}), {.label = "minus"});
  CHECK(test::thrown([&] {
          b.build({{"y", y}});
        }) == "OperationError build: no backend supports neg [minus] (only-relu: only relu).");

  const MLContext silent({.threads = 1, .backends = {std::make_shared<OnlyRelu>()}});
  CHECK(limits.find("squeeze", "input")->dataTypes == DataTypes{});  // it becomes a reshape
  CHECK(limits.find("tileDynamic", "repetitions")->dataTypes == DataTypes{});
  CHECK(limits.find("shape", "input")->dataTypes == types::stored);  // it becomes a constant
  CHECK(silent.opSupportLimits().find("argMin", "input")->dataTypes == types::any);
  CHECK(silent.opSupportLimits().find("tileDynamic", "repetitions")->dataTypes == types::sizes);
  CHECK(silent.opSupportLimits().find("squeeze", "input") != nullptr);
  const MLContext both(
      {.threads = 1, .backends = {std::make_shared<OnlyReluSaysSo>(), "reference"}});
  CHECK(both.opSupportLimits().find("argMin", "input")->dataTypes == types::any);
}
