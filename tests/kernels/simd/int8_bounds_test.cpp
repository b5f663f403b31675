// What kernels of bytes touch: nothing behind their arrays.
#include "src/kernels/common/cache_aligned.h"
#include "src/kernels/simd/quantized/weights.h"
#include "src/kernels/simd/vector/int8/depthwise.h"
#include "src/passes/passes.h"
#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"
#include "tests/support/guarded.h"
#include "tests/support/packed.h"

namespace webnn::inline v0_1::test {
namespace {

/// The kernel of a whole graph, with every array at the end of its memory.
void run_guarded(const Backend& backend, const MLGraph& built, const std::string& name) {
  const Graph graph = recognize_quantized_operators(built.graph());
  std::vector<Node> chain;
  for (std::size_t i = 0; i < graph.size(); ++i) chain.push_back(graph.node(i));
  const Lowering lowered = backend.lower(chain);
  const auto* refused = std::get_if<Refusal>(&lowered);
  CAPTURE(refused ? refused->reason : "");
  REQUIRE_FALSE(refused);
  const Candidate& kernel = std::get<Candidate>(lowered);
  REQUIRE(kernel.name.find(name) != std::string::npos);
  std::vector<Guarded> memory;
  std::vector<const std::byte*> inputs;
  for (const MLOperand& x : webnn::inputs_of(chain)) {
    const auto bytes = static_cast<std::size_t>(byte_length(x.descriptor()));
    memory.emplace_back(bytes);
    if (const Constant* c = x.constant())
      std::memcpy(memory.back().data(), c->bytes().data(), bytes);
    inputs.push_back(memory.back().data());
  }
  const auto bytes = static_cast<std::size_t>(byte_length(chain.back().output().descriptor()));
  memory.emplace_back(bytes);
  std::byte* const outputs[] = {memory.back().data()};
  const Guarded scratch((kernel.scratch + 63) / 64 * 64), shared((kernel.shared + 63) / 64 * 64);
  const Packed packed(kernel, chain);
  for (int round = 0; round < kernel.rounds; ++round)
    for (int i = 0; i < kernel.tiles; ++i)
      kernel.run({i, i + 1, round}, {inputs, outputs, shared.data(), 0, packed.weights()},
                 scratch.data());
}

struct Quantized {
  MLContext context{{.threads = 1, .backends = {"reference"}}};
  MLGraphBuilder b{context};

  MLOperand one(MLOperandDataType type, std::size_t rank, double v) {
    const Tensor t = filled(type, Dims(rank, 1), v);
    return b.constant(t.descriptor(), t.bytes);
  }
  MLOperand real(const MLOperand& x) {
    return b.dequantizeLinear(x, one(float32, x.rank(), 0.1), one(x.dataType(), x.rank(), 3));
  }
  MLOperand weights(Dims shape) {
    const Tensor t = filled(int8, std::move(shape), 5);
    return real(b.constant(t.descriptor(), t.bytes));
  }
  /// Not optimized: the nodes are offered as they are here.
  MLGraph build(const MLOperand& y) {
    return b.build({{"y", b.quantizeLinear(y, one(float32, y.rank(), 1), one(int8, y.rank(), 0))}});
  }
};

}  // namespace

TEST_CASE("int8 depthwise: a vector of each row that begins within it, and no further") {
  for (const auto requantization : {Requantization::floats, Requantization::fixedPoint})
    for_int8_targets([&](const std::shared_ptr<const Backend>&) {
      const auto vector = static_cast<std::size_t>(4 * simd::int8_lanes());
      const std::vector<std::int8_t> w(4 * vector, 1);
      const simd::ColumnArrays arrays(vector, requantization);
      CacheAligned<std::byte> columns(arrays.bytes());
      for (std::size_t i = 0; i < vector; ++i)
        arrays.set(columns.data(), i, {.fixed = simd::fixed_point(0.25), .scale = 0.25f});
      const std::size_t column = 0;
      simd::Int8Depthwise g;
      g.w = w.data();
      g.bias = arrays.bias(columns.data());
      g.scale = arrays.scale(columns.data());
      g.columns = &column;
      g.result = {.zero = 0, .low = 0, .high = 255};
      for (std::size_t vectors : {1u, 2u, 5u}) {
        g.row = vectors * vector;
        std::vector<Guarded> rows;
        const std::uint8_t* from[4];
        for (auto& r : from) {
          rows.emplace_back(g.row);
          std::memset(rows.back().data(), 9, g.row);
          r = reinterpret_cast<const std::uint8_t*>(rows.back().data());
        }
        const Guarded y(g.row);
        auto* to = reinterpret_cast<std::uint8_t*>(y.data());
        simd::int8_depthwise(g, 1, from, to);
        CHECK(std::count(to, to + g.row, 9) == static_cast<std::ptrdiff_t>(g.row));
      }
    });
}

TEST_CASE("int8 kernels touch nothing behind their operands, results and scratch") {
  for_int8_targets([](const std::shared_ptr<const Backend>& simd) {
    for (const auto [height, width, channels] :
         {std::array{5u, 4u, 16u}, {4u, 8u, 64u}, {3u, 5u, 33u}, {9u, 16u, 128u}, {1u, 1u, 3u}}) {
      CAPTURE(height, width, channels);
      const Dims image{1, height, width, channels};
      const MLConv2dOptions o{.padding = {1, 1, 1, 1},
                              .inputLayout = MLInputOperandLayout::nhwc,
                              .filterLayout = MLConv2dFilterOperandLayout::ohwi};
      {
        Quantized q;
        MLConv2dOptions depthwise = o;
        depthwise.groups = channels;
        run_guarded(*simd,
                    q.build(q.b.conv2d(q.real(q.b.input("x", {int8, image})),
                                       q.weights({channels, 3, 3, 1}), depthwise)),
                    "int8 depthwise");
      }
      {
        Quantized q;
        run_guarded(*simd,
                    q.build(q.b.conv2d(q.real(q.b.input("x", {uint8, image})),
                                       q.weights({17, 3, 3, channels}), o)),
                    "int8 conv");
      }
      {
        Quantized q;
        const MLOperand y = q.b.convTranspose2d(q.real(q.b.input("x", {int8, image})),
                                                q.weights({channels, 17, 3, 3}),
                                                {.padding = {1, 1, 1, 1},
                                                 .strides = {2, 2},
                                                 .inputLayout = MLInputOperandLayout::nhwc});
        run_guarded(*simd, q.build(y), "int8 phases");
      }
      {
        Quantized q;
        const MLOperand y = q.b.resample2d(q.real(q.b.input("x", {int8, image})),
                                           {.mode = MLInterpolationMode::linear,
                                            .sizes = Dims{2 * width, 2 * channels},
                                            .axes = {2, 3}});
        run_guarded(*simd, q.build(y), "int8 resize");
      }
      for (const std::size_t axis : {1u, 3u}) {
        Quantized q;
        Dims shape(4, 1);
        shape[axis] = image[axis];
        const Tensor slope = filled(float32, shape, 0.3);
        const MLOperand y = q.b.prelu(q.real(q.b.input("x", {int8, image})),
                                      q.b.constant(slope.descriptor(), slope.bytes));
        if (shape[axis] > 1) run_guarded(*simd, q.build(y), "int8 prelu");
      }
      {
        Quantized q;
        run_guarded(*simd,
                    q.build(q.b.gemm(q.real(q.b.input("x", {int8, {height, channels}})),
                                     q.weights({width, channels}), {.bTranspose = true})),
                    "int8 gemm");
      }
      {
        Quantized q;
        run_guarded(*simd,
                    q.build(q.b.matmul(q.real(q.b.input("x", {int8, {2, height, channels}})),
                                       q.real(q.b.input("y", {uint8, {2, channels, width}})))),
                    "int8 matmul");
      }
      {
        Quantized q;
        run_guarded(*simd,
                    q.build(q.b.add(q.real(q.b.input("x", {int8, image})),
                                    q.real(q.b.input("y", {int8, image})))),
                    "int8 add");
      }
      {
        Quantized q;
        run_guarded(*simd,
                    q.build(q.b.softmax(q.real(q.b.input("x", {int8, {height, channels}})), 1)),
                    "int8 softmax");
      }
      {
        Quantized q;
        run_guarded(*simd,
                    q.build(q.b.averagePool2d(q.real(q.b.input("x", {int8, image})),
                                              {.layout = MLInputOperandLayout::nhwc})),
                    "int8");
      }
    }
  });
}

}  // namespace webnn::inline v0_1::test
