// A graph that has run before allocates nothing.
#include "tests/faults/operator_new.h"
#include "tests/faults/own_backends.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::allocations;

namespace {

MLGraph network(MLContext& context) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1, 8, 16, 16}}),
                  r = b.input("r", {float32, {8, 1, 1}});
  const auto weights = [&](Dims shape) {
    const std::vector<float> v(element_count(shape), 0.1f);
    return b.constant({float32, std::move(shape)}, v);
  };
  MLOperand y = b.relu(b.conv2d(x, weights({8, 8, 3, 3}), {.padding = {1, 1, 1, 1}}));
  y = b.add(b.mul(y, r), x);
  const MLOperand m = b.matmul(b.reshape(y, {8, 256}), weights({256, 32}));
  const auto parts = b.split(b.softmax(m, 1), 2);
  return b.build({{"y", b.layerNormalization(parts[0])}, {"z", parts[1]}, {"again", parts[1]}});
}

}  // namespace

TEST_CASE("compute allocates nothing") {
  for (int threads : {1, 3}) {
    MLContext context({.threads = threads, .backends = test::backends_without({"onednn"})});
    const MLGraph g = network(context);
    const std::vector<float> x(8 * 16 * 16, 1.f), r(8, 2.f);
    std::vector<float> y(4 * 32), z(4 * 32), again(4 * 32);
    const auto all = [&] {
      context.compute(g, {{"x", x}, {"r", r}}, {{"y", y}, {"z", z}, {"again", again}});
      context.compute(g, {{"r", r}, {"x", x}}, {{"again", again}});
    };
    all();
    const auto before = allocations();
    for (int i = 0; i < 50; ++i) all();
    CHECK(allocations() == before);
  }
}

TEST_CASE("write, dispatch and read allocate nothing") {
  for (int threads : {1, 3}) {
    MLContext context({.threads = threads, .backends = test::backends_without({"onednn"})});
    const MLGraph g = network(context);
    const std::vector<float> x(8 * 16 * 16, 1.f), r(8, 2.f);
    std::vector<float> y(4 * 32);
    const MLTensor tx = context.createTensor({.shape = {1, 8, 16, 16}, .writable = true});
    const MLTensor tr = context.createTensor({.shape = {8, 1, 1}, .writable = true});
    const MLTensor ty = context.createTensor({.shape = {4, 32}, .readable = true});
    const MLTensor tz = context.createTensor({.shape = {4, 32}});
    const MLTensor ta = context.createTensor({.shape = {4, 32}});
    const auto run = [&] {
      context.writeTensor(tx, x);
      context.writeTensor(tr, r);
      context.dispatch(g, {{"x", tx}, {"r", tr}}, {{"y", ty}, {"z", tz}, {"again", ta}});
    };
    for (int burst = 0; burst < 12; ++burst) {  // until every job has served for everything
      for (int i = 0; i < 15; ++i) run();
      context.readTensor(ty, y);
    }
    const auto before = allocations();
    for (int i = 0; i < 50; ++i) {
      run();
      context.readTensor(ty, y);
    }
    CHECK(allocations() == before);
  }
}

namespace {

/// The integer kernels: windows, depthwise, products, sums, tables, means.
MLGraph quantized_network(MLContext& context) {
  MLGraphBuilder b(context);
  const auto real = [&](const MLOperand& x) {
    const Dims ones(x.rank(), 1);
    return b.dequantizeLinear(x, b.constant({float32, ones}, std::vector<float>{0.1f}),
                              b.constant({int8, ones}, std::vector<std::int8_t>{1}));
  };
  const auto integers = [&](const MLOperand& x) {
    const Dims ones(x.rank(), 1);
    return b.quantizeLinear(x, b.constant({float32, ones}, std::vector<float>{0.1f}),
                            b.constant({int8, ones}, std::vector<std::int8_t>{1}));
  };
  const auto conv = [&](const MLOperand& x, Dims shape, std::uint32_t groups) {
    const std::vector<std::int8_t> v(element_count(shape), 3);
    const std::uint32_t pad = shape[1] / 2;
    return integers(b.conv2d(real(x), real(b.constant({int8, std::move(shape)}, v)),
                             {.padding = {pad, pad, pad, pad},
                              .groups = groups,
                              .inputLayout = MLInputOperandLayout::nhwc,
                              .filterLayout = MLConv2dFilterOperandLayout::ohwi}));
  };
  const MLOperand x = b.input("x", {int8, {1, 16, 16, 8}});
  const MLOperand y = conv(conv(conv(x, {8, 3, 3, 8}, 1), {8, 3, 3, 1}, 8), {8, 1, 1, 8}, 1);
  const MLOperand z = integers(b.sigmoid(real(integers(b.add(real(x), real(y))))));
  return b.build(
      {{"y",
        integers(b.softmax(
            b.reshape(b.averagePool2d(real(z), {.layout = MLInputOperandLayout::nhwc}), {1, 8}),
            1))}});
}

}  // namespace

TEST_CASE("computing with integers allocates nothing") {
  for (int threads : {1, 3}) {
    MLContext context({.threads = threads, .backends = test::backends_without({"onednn"})});
    const MLGraph g = quantized_network(context);
    const std::vector<std::int8_t> x(16 * 16 * 8, 5);
    std::vector<std::int8_t> y(8);
    context.compute(g, {{"x", x}}, {{"y", y}});
    const auto before = allocations();
    for (int i = 0; i < 50; ++i) context.compute(g, {{"x", x}}, {{"y", y}});
    CHECK(allocations() == before);
  }
}
