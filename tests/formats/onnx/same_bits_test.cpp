// What is written and read again computes the same bits: average pools whose windows reach far into
// padding, reductions of nothing but zeros and infinities over no axes, nearest elements.
#include <cmath>
#include <limits>

#include "tests/formats/onnx/exported.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::computed;
using webnn::test::Random;

namespace {

/// Whether both graphs have the same bits, of one input "x" and one output.
bool same_bits(const MLGraph& graph, const Tensor& x) {
  const Read again = read(onnx::export_model(graph));
  const Inputs inputs{{"x", x}};
  return computed(plain(), graph, inputs).at(0).bytes ==
         computed(plain(), again.graph, inputs).at(0).bytes;
}

}  // namespace

TEST_CASE("onnx round trip: averagePool2d with padding, dilations and sizes of every kind") {
  int valid = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random r(seed);
    MLPool2dOptions o{
        .windowDimensions = Dims{r.integer(1, 4), r.integer(1, 4)},
        .padding = {r.integer(0, 6), r.integer(0, 6), r.integer(0, 6), r.integer(0, 6)},
        .strides = {r.integer(1, 5), r.integer(1, 5)},
        .dilations = {r.integer(1, 4), r.integer(1, 4)},
        .layout = seed % 2 ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw,
        .outputShapeRounding = seed % 3 ? MLRoundingType::ceil : MLRoundingType::floor};
    const MLOperandDataType type = seed % 5 ? float32 : float16;
    const Tensor x = r.tensor(type, {2, r.integer(1, 7), r.integer(1, 7), r.integer(1, 7)});
    MLGraphBuilder b(plain());
    CAPTURE(seed);
    try {
      const MLOperand y = b.averagePool2d(b.input("x", {type, x.shape}), o);
      const Dims shape = y.shape();
      if (seed % 4 == 0) {  // the same by outputSizes
        const bool nhwc = o.layout == MLInputOperandLayout::nhwc;
        o.outputSizes = nhwc ? Dims{shape[1], shape[2]} : Dims{shape[2], shape[3]};
        o.outputShapeRounding = MLRoundingType::floor;
      }
    } catch (const TypeError&) { continue; }
    MLGraphBuilder again(plain());
    const MLOperand y = again.averagePool2d(again.input("x", {type, x.shape}), o);
    CHECK(same_bits(again.build({{"y", y}}), x));
    ++valid;
  }
  CHECK(valid > 1500);
}

TEST_CASE("onnx round trip: reductions over no axes") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = webnn::test::tensor(
      float32, {2, 4}, {-0.0, 0.0, 1.5, -2.25, infinity, -infinity, std::nan(""), 1e-40});
  for (const bool keep : {false, true})
    for (const std::string_view op :
         {"L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Product", "Sum", "SumSquare"}) {
      CAPTURE(op, keep);
      MLGraphBuilder b(plain());
      const MLOperand in = b.input("x", {float32, x.shape});
      const MLReduceOptions o{.axes = Dims(), .keepDimensions = keep};
      const MLOperand y = op == "L1"          ? b.reduceL1(in, o)
                          : op == "L2"        ? b.reduceL2(in, o)
                          : op == "LogSum"    ? b.reduceLogSum(in, o)
                          : op == "LogSumExp" ? b.reduceLogSumExp(in, o)
                          : op == "Max"       ? b.reduceMax(in, o)
                          : op == "Mean"      ? b.reduceMean(in, o)
                          : op == "Min"       ? b.reduceMin(in, o)
                          : op == "Product"   ? b.reduceProduct(in, o)
                          : op == "Sum"       ? b.reduceSum(in, o)
                                              : b.reduceSumSquare(in, o);
      CHECK(same_bits(b.build({{"y", y}}), x));
    }
  // -0 is no sum, not even of one -0.
  MLGraphBuilder b(plain());
  const MLOperand y = b.reduceSum(b.input("x", {float32, x.shape}), {.axes = Dims()});
  const Read again = read(onnx::export_model(b.build({{"y", y}})));
  CHECK_FALSE(std::signbit(computed(plain(), again.graph, {{"x", x}}).at(0)[0]));
}

TEST_CASE("onnx: resample2d is a Gather where ONNX Runtime could take other elements") {
  std::size_t gathers = 0, resizers = 0;
  for (std::uint32_t in = 1; in <= 130; ++in)
    for (std::uint32_t out = in % 7 + 1; out <= 130; out += 7) {
      CAPTURE(in, out);
      MLGraphBuilder b(plain());
      const MLOperand y =
          b.resample2d(b.input("x", {float32, {1, 1, 1, in}}), {.sizes = Dims{1, out}});
      const MLGraph graph = b.build({{"y", y}});
      Tensor x{float32, {1, 1, 1, in}, std::vector<std::byte>(4 * in)};
      for (std::uint32_t i = 0; i < in; ++i) x.set(i, i);
      CHECK(same_bits(graph, x));
      const auto file = onnx::export_model(graph);
      const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
      const float scale = static_cast<float>(out) / static_cast<float>(in);
      bool same = true;
      const Tensor exact = computed(plain(), graph, {{"x", x}}).at(0);
      for (std::uint32_t i = 0; i < out; ++i) {
        const float at = (static_cast<float>(i) + 0.5f) / scale - 0.5f;
        const float low = std::floor(at), place = at == low + 0.5f ? low : std::round(at);
        same = same &&
               std::clamp(place, 0.0f, static_cast<float>(in - 1)) == static_cast<float>(exact[i]);
      }
      const bool resizes = text.find("Resize") != std::string_view::npos;
      CHECK((!resizes || same));
      ++(resizes ? resizers : gathers);
    }
  CHECK(gathers > 100);
  CHECK(resizers > 100);
}

TEST_CASE("onnx round trip: quantizeLinear has ONNX's quotient, which is rounded") {
  // The quotient is -25.5 + 19/21053762, which float32 rounds to -25.5.
  const Tensor x = webnn::test::tensor(float32, {1, 1}, {-0.5});
  const float step = 0.0196078438f;
  REQUIRE(-0.5f / step == -25.5f);
  REQUIRE(-0.5 / static_cast<double>(step) > -25.5);
  for (const bool computed_scale : {false, true}) {
    CAPTURE(computed_scale);
    MLGraphBuilder b(plain());
    const MLOperandDescriptor one{float32, {1, 1}};
    const MLOperand in = b.input("x", one);
    const MLOperand scale =
        computed_scale ? b.input("scale", one) : b.constant(one, std::vector<float>{step});
    const MLOperand zero = b.constant({uint8, {1, 1}}, std::vector<std::uint8_t>{64});
    const MLGraph graph = b.build({{"y", b.quantizeLinear(in, scale, zero)}});
    Inputs inputs{{"x", x}};
    if (computed_scale) inputs.emplace("scale", webnn::test::tensor(float32, {1, 1}, {step}));
    const Read again = read(onnx::export_model(graph));
    CHECK(computed(plain(), graph, inputs).at(0)[0] == 64 - 26);
    CHECK(computed(plain(), again.graph, inputs).at(0)[0] == 64 - 26);
  }
}
