// A step of a small decoder, 6 layers of 9 heads of 64 with caches of 3 heads: caches that grow in
// place, a static graph of that length, and an open graph whose caches are other tensors, which has
// a new length each time. Without a mask, and with one that the graph computes with its length.
//   growing_state [threads...]      2 threads by default
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/timing.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;

namespace {

constexpr std::uint32_t layers = 6, width = 576, heads = 9, key_heads = 3, head = 64, inner = 1536,
                        bound = 2048;

std::vector<float> weights(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 7 % 19) / 500 - 0.018f;
  return v;
}

struct Names {
  std::vector<std::string> past{}, present{};
  Names() {
    for (std::uint32_t i = 0; i < 2 * layers; ++i) {
      past.push_back("past " + std::to_string(i));
      present.push_back("present " + std::to_string(i));
    }
  }
};

/// What a row sees: the columns up to its own.
MLOperand causal_mask(MLGraphBuilder& b, const MLOperand& before, const MLOperand& after) {
  const MLOperand zero = b.constant(int32, 0), one = b.constant(int32, 1);
  const MLOperand past = b.cast(b.dimension(before, 2), int32),
                  all = b.cast(b.dimension(after, 2), int32);
  const MLOperand rows = b.unsqueeze(b.range(past, all, one), {1}),
                  columns = b.range(zero, all, one);
  return b.where(b.lesserOrEqual(columns, rows), b.constant(float32, 0),
                 b.constant(float32, -1e30));
}

MLGraph build(const MLContext& context, const Names& names, const MLDimension& past, bool states,
              bool masked) {
  MLGraphBuilder b(context);
  NamedOperands outputs;
  const auto dense = [&](const MLOperand& x, std::uint32_t from, std::uint32_t to) {
    const auto w = weights(std::size_t{from} * to);
    return b.matmul(x, b.constant({float32, {from, to}}, w));
  };
  MLOperand first;
  const auto cached = [&](const MLOperand& row, std::size_t i) {
    const MLOperand before = b.input(names.past[i], {float32, {1u, key_heads, past, head}});
    const MLOperand after = b.concat({before, b.reshape(row, {1, key_heads, 1, head})}, 2);
    if (states) update(b, before, after);
    if (!first) first = before;
    outputs.push_back({names.present[i], after});
    return after;
  };
  MLOperand x = b.input("x", {float32, {1, width}});
  for (std::uint32_t i = 0; i < layers; ++i) {
    const MLOperand q = b.reshape(dense(x, width, width), {1, key_heads, heads / key_heads, head});
    const MLOperand k = cached(dense(x, width, key_heads * head), 2 * i);
    const MLOperand v = cached(dense(x, width, key_heads * head), 2 * i + 1);
    MLOperand s = b.mul(b.matmul(q, b.transpose(k, {.permutation = {{0, 1, 3, 2}}})),
                        b.constant(float32, 0.125));
    if (masked) s = b.add(s, causal_mask(b, first, k));
    const MLOperand mixed = b.reshape(b.matmul(b.softmax(s, 3), v), {1, width});
    x = b.add(x, dense(mixed, width, width));
    x = b.add(x, dense(b.gelu(dense(x, width, inner)), inner, width));
  }
  outputs.push_back({"y", x});
  return b.build(outputs);
}

class Decoder {
 public:
  Decoder(int threads, std::uint32_t length, bool masked)
      : context_({.threads = threads}),
        length_(length),
        fixed_(build(context_, names_, length, false, masked)),
        open_(build(context_, names_, open(), false, masked)),
        growing_(build(context_, names_, open(), true, masked)),
        x_(tensor({1, width})),
        y_(tensor({1, width})) {
    for (std::uint32_t i = 0; i < 2 * layers; ++i) {
      states_.push_back(createState(growing_, names_.past[i]));
      resizeState(states_.back(), length - 20);
      before_.push_back(tensor({1, key_heads, length, head}));
      after_.push_back(tensor({1, key_heads, length + 1, head}));
    }
    context_.writeTensor(x_, weights(width));
  }
  double growing_us() { return run_us(growing_, states_, states_); }
  double fixed_us() { return run_us(fixed_, before_, after_); }
  double open_us(std::uint32_t step) {
    std::vector<MLTensor> in, out;
    for (std::uint32_t i = 0; i < 2 * layers; ++i) {
      in.push_back(tensor({1, key_heads, length_ + step, head}));
      out.push_back(tensor({1, key_heads, length_ + step + 1, head}));
    }
    return run_us(open_, in, out);
  }

 private:
  static MLDimension open() {
    return MLDynamicDimension{.name = "past", .minSize = 0, .maxSize = bound};
  }
  MLTensor tensor(const Dims& shape) {
    return context_.createTensor(
        {.dataType = float32, .shape = shape, .readable = true, .writable = true});
  }
  double run_us(const MLGraph& graph, const std::vector<MLTensor>& in,
                const std::vector<MLTensor>& out) {
    std::vector<NamedTensor> inputs{{"x", x_}}, outputs{{"y", y_}};
    for (std::uint32_t i = 0; i < 2 * layers; ++i) {
      inputs.push_back({names_.past[i], in[i]});
      outputs.push_back({names_.present[i], out[i]});
    }
    const double t = now_us();
    context_.dispatch(graph, inputs, outputs);
    context_.readTensor(y_, values_);  // waits
    return now_us() - t;
  }

  Names names_{};
  MLContext context_;
  std::uint32_t length_;
  MLGraph fixed_, open_, growing_;
  MLTensor x_, y_;
  std::vector<MLTensor> states_{}, before_{}, after_{};
  std::vector<float> values_ = std::vector<float>(width);
};

}  // namespace

int main(int argc, char** argv) try {
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::atoi(argv[i]));
  if (threads.empty()) threads = {2};
  for (const int n : threads)
    for (const auto& [length, masked] :
         {std::pair{128u, false}, {1024u, false}, {128u, true}, {1024u, true}}) {
      Decoder decoder(n, length, masked);
      std::vector<double> growing, fixed, open;
      for (int i = 0; i < 5; ++i) decoder.growing_us(), decoder.fixed_us();
      for (std::uint32_t i = 0; i < 40; ++i) {
        growing.push_back(decoder.growing_us());
        fixed.push_back(decoder.fixed_us());
      }
      for (std::uint32_t i = 0; i < 20; ++i) open.push_back(decoder.open_us(i + 1));
      std::printf(
          "decoder's step, %4u rows%s   %d threads   in place %8.1f us   static graph %8.1f us   "
          "each length new %8.1f us\n",
          length, masked ? ", masked" : "        ", n, median(growing), median(fixed),
          median(open));
    }
} catch (const std::exception& e) {
  std::fprintf(stderr, "growing_state: %s\n", e.what());
  return 1;
}
