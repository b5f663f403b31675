// Compiled graphs of every operator, and of kernels that pack weights.
#include "src/builder/loop_recorder.h"
#include "tests/fuzz/compiled_file.h"
#include "tests/fuzz/library_example.h"
#include "tests/fuzz/narrow_example.h"
#include "tests/fuzz/seeds.h"
#include "tests/random/generator.h"
#include "webnn/compiled.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::fuzz {
namespace {

constexpr std::size_t max_size = 4096;

void write(const std::filesystem::path& path, const MLGraph& graph) {
  const Bytes seed = sections_of(compiled::bytes_of(graph, {.metadata = {{"name", "value"}}}));
  if (seed.size() <= max_size) write_seed(path, seed);
}

}  // namespace

void write_seeds(const std::filesystem::path& folder) {
  const MLContext context = compiled_context();
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      MLGraphBuilder b(context);
      const test::RandomGraph random = test::random_operator(b, kind, seed);
      write(folder / (std::string(ops::AllOps::names[kind]) + std::to_string(seed)),
            b.build(random.outputs));
    }
  const std::vector<float> values(400, 0.25f);
  const auto floats = [&](std::size_t n) { return std::span(values).first(n); };
  {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {1, 4, 4, 4}});
    const MLOperand y = b.conv2d(x, b.constant({float32, {8, 3, 3, 4}}, floats(288)),
                                 {.padding = {1, 1, 1, 1},
                                  .inputLayout = MLInputOperandLayout::nhwc,
                                  .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                                  .bias = b.constant({float32, {8}}, floats(8)),
                                  .label = "convolution"});
    write(folder / "packed_convolution", b.build({{"y", b.relu(y)}}));
  }
  {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {"rows", 6}});
    const MLOperand shape =
        b.concat({b.reshape(b.dimension(x, 0), {1}), b.constant({uint32, {1}}, {4u})}, 0);
    const MLOperand y = b.gemm(x, b.constant({float32, {6, 4}}, floats(24)));
    const MLGraph graph = b.build({{"y", b.reshapeDynamic(b.relu(y), shape)}});
    graph.prepare({{"x", {3, 6}}});
    write(folder / "open", graph);
  }
  for (const bool open : {false, true}) {
    MLGraphBuilder b(context);
    write(folder / (open ? "custom_open" : "custom"), b.build(custom_example(b, open)));
  }
  each_library_operator(
      context, [&](const std::string& name, const MLGraph& graph) { write(folder / name, graph); });
  {
    MLGraphBuilder b(context);
    const MLDynamicDimension rows{.name = "past", .minSize = 0, .maxSize = 8};
    const MLOperand past = b.input("past", {float32, {rows, 2}});
    const MLOperand all = b.concat({past, b.input("fresh", {float32, {"new", 2}})}, 0);
    update(b, past, all);
    write(folder / "growing_state", b.build({{"all", all}}));
  }
  {
    MLGraphBuilder b(context);
    const MLDynamicDimension rows{.name = "past", .minSize = 0, .maxSize = 8};
    const auto grown = [&](const char* past, const char* fresh, MLOperandDataType type,
                           std::uint32_t size) {
      const MLOperand before = b.input(past, {type, {rows, size}});
      const MLOperand all = b.concat({before, b.input(fresh, {type, {"new", size}})}, 0);
      update(b, before, all);
      return all;
    };
    const MLOperand integers = grown("integers", "new integers", int8, 64),
                    scales = grown("scales", "new scales", float32, 2);
    std::vector<std::int32_t> block(64);
    for (std::size_t i = 32; i < 64; ++i) block[i] = 1;
    const MLOperand each = b.gather(scales, b.constant({int32, {64}}, block), {.axis = 1});
    const MLOperand y = b.mul(b.cast(integers, float32), each);
    write(folder / "growing_int8_state",
          b.build({{"integers after", integers}, {"scales after", scales}, {"y", y}}));
  }
  {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {"rows", 2}});
    LoopRecorder loop(b, b.cast(b.dimension(x, 0), int64), b.constant(uint8, 1));
    loop.begin();
    const MLOperand sum = loop.state(b.constant({float32, {2}}, floats(2)));
    const MLOperand next = b.add(sum, b.gather(x, loop.iteration()));
    const auto made = loop.finish({next}, {b.reshape(next, {1, 2})}, {}, "sums");
    write(folder / "loop", b.build({{"last", made[0]}, {"all", made[1]}}));
  }
  {
    MLGraphBuilder b(context);
    write(folder / "narrow", b.build(narrow_example(b)));
  }
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 6}});
  const MLOperand y = b.gemm(x, b.constant({float32, {6, 36}}, floats(216)));
  write(folder / "packed_product", b.build({{"y", b.sigmoid(y)}}));
}

}  // namespace webnn::inline v0_1::fuzz
