// Custom operators between images whose layout convert_to_nhwc() chooses.
#include <stdexcept>

#include "tests/passes/small_graphs.h"
#include "tests/support/custom_operators.h"
#include "webnn/custom.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Said = std::optional<CustomAttributes>;

/// The place of each element along a dimension, plus the element: an operator that knows one.
CustomOperator ramp() {
  CustomOperator o{.name = "test.Ramp", .attributes = {{"axis", 1}}};
  o.infer = [](const CustomCall& c) { return std::vector{c.inputs.at(0)}; };
  o.compute = [](const CustomRun& run) {
    const auto axis = run.attribute<std::size_t>("axis");
    const Dims& shape = run.shape(0);
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
    const auto x = run.in<float>(0);
    const auto y = run.out<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = x[i] + 100 * static_cast<float>(i / inner % shape[axis]);
  };
  o.transposed = [](const CustomCall& c, const Dims& permutation) -> Said {
    const auto axis = c.attribute<std::uint32_t>("axis");
    const auto place = std::ranges::find(permutation, axis) - permutation.begin();
    return CustomAttributes{{"axis", place}};
  };
  return o;
}

/// Between two convolutions, beside a vector that is no image.
struct Images {
  Net n{};
  MLOperand x = n.b.input("x", {float32, {1, 4, 8, 8}});

  std::size_t transposes(CustomOperator o) {
    const MLOperand y = n.b.custom(custom_operator(std::move(o)), {n.conv(x, 6, 3)})[0];
    return count(optimized({{"y", n.conv(y, 2)}}), "transpose");
  }
};

}  // namespace

TEST_CASE("convert_to_nhwc: custom operators that say how they are transposed") {
  CHECK(Images().transposes(ramp()) == 2);
  CustomOperator plain = ramp();
  plain.transposed = {};
  CHECK(Images().transposes(plain) == 4);
}

TEST_CASE("convert_to_nhwc: what a custom operator says wrongly leaves it in its order") {
  const auto transposes = [](decltype(CustomOperator::transposed) transposed) {
    CustomOperator o = ramp();
    o.transposed = std::move(transposed);
    return Images().transposes(std::move(o));
  };
  CHECK(transposes([](const CustomCall&, const Dims&) -> Said { return std::nullopt; }) == 4);
  CHECK(transposes([](const CustomCall&, const Dims&) -> Said { throw 5; }) == 4);
  CHECK(transposes([](const CustomCall&, const Dims&) -> Said {
          return CustomAttributes{{"axes", 1}};
        }) == 4);
  CHECK(transposes([](const CustomCall&, const Dims&) -> Said {
          return CustomAttributes{{"axis", "1"}};
        }) == 4);
}

TEST_CASE("convert_to_nhwc: infer() decides whether transposed results are right") {
  CustomOperator o = ramp();
  o.infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
    MLOperandDescriptor d = c.inputs.at(0);
    d.shape.at(3) *= 2;  // whatever the dimension is
    return {d};
  };
  o.compute = [](const CustomRun&) {};
  o.transposed = [](const CustomCall& c, const Dims&) -> Said { return c.attributes; };
  CHECK(Images().transposes(o) == 4);
}

TEST_CASE("convert_to_nhwc: transposed custom operators compute the same") {
  for (const bool transposed : {false, true}) {
    CustomOperator o = ramp();
    int runs = 0;
    o.compute = [&runs, compute = o.compute](const CustomRun& run) {
      ++runs;
      compute(run);
      const auto bias = run.in<float>(1);  // has no order
      for (std::size_t i = 0; i < run.out<float>().size(); ++i) run.out<float>()[i] += bias[0];
    };
    if (!transposed) o.transposed = {};
    MLContext context({.threads = 1, .backends = {"reference"}});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {1, 3, 5, 4}});
    const MLOperand t = b.transpose(x, {.permutation = {0, 2, 3, 1}});
    const MLOperand bias = b.constant({float32, {1}}, {7.f});
    const MLOperand y = b.custom(custom_operator(o), {t, bias}, {.attributes = {{"axis", 2}}})[0];
    const MLGraph graph = b.build({{"y", b.transpose(y, {.permutation = {0, 3, 1, 2}})}});
    CHECK(count(graph.graph(), "transpose") == 2);
    CHECK((graph.explain().find("transpose") == std::string::npos) == transposed);
    std::vector<float> in(60), out(60);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    context.compute(graph, {{"x", in}}, {{"y", out}});
    CHECK(runs == 1);
    // Along the dimension of size 4, which is the last one of x.
    for (std::size_t i = 0; i < in.size(); ++i)
      CHECK(out[i] == in[i] + 100 * static_cast<float>(i % 4) + 7);
  }
}
