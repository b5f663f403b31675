// Memory that is filled with a pattern before kernels write to it.
#include <bit>
#include <cstring>

#include "src/runtime/fill.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

namespace webnn::inline v0_1::test {
namespace {

class Filling {
 public:
  Filling() { set_fills_memory(true); }
  Filling(const Filling&) = delete;
  ~Filling() { set_fills_memory(before_); }

 private:
  bool before_ = fills_memory();
};

/// Copies its operand; relu leaves out the second element, abs and neg none.
Lowering copy_with_gap(Chain chain) {
  if (chain.size() > 1) return Refusal{"only one"};
  const std::size_t count = element_count(chain[0].output().shape());
  const bool gap = chain[0].as<ops::relu>(), in_place = chain[0].as<ops::neg>();
  Candidate k{.name = "copy", .run = [=](Range, const Buffers& b, std::byte*) {
                for (std::size_t i = 0; i < count; ++i)
                  if (!gap || i != 1) std::memmove(b.out<float>() + i, b.in<float>() + i, 4);
              }};
  if (in_place) k.in_place = {0};
  return k;
}

std::vector<std::uint32_t> results(int threads, MLOperand (*build)(MLGraphBuilder&, MLOperand)) {
  MLContext context({.threads = threads, .backends = {own_backend(copy_with_gap), "reference"}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", build(b, b.input("x", {float32, {4}}))}});
  std::vector<float> x{1, 2, 3, 4}, y(4);
  for (int i = 0; i < 2; ++i) context.compute(g, {{"x", x}}, {{"y", y}});  // nothing is left over
  std::vector<std::uint32_t> bits;
  for (const float v : y) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

constexpr std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }
const std::vector<std::uint32_t> with_gap{bits(1), unwritten_pattern, bits(3), bits(4)};

}  // namespace

TEST_CASE("fill: what a kernel leaves unwritten is seen in outputs and on the way to them") {
  const Filling filling;
  for (const int threads : {1, 2}) {
    CHECK(results(threads, [](MLGraphBuilder& b, MLOperand x) { return b.relu(x); }) == with_gap);
    CHECK(results(threads, [](MLGraphBuilder& b, MLOperand x) { return b.abs(b.relu(x)); }) ==
          with_gap);
    // The memory of abs(x), which relu's result does not take over.
    CHECK(results(threads, [](MLGraphBuilder& b, MLOperand x) {
            return b.abs(b.relu(b.abs(b.abs(x))));
          }) == with_gap);
  }
}

TEST_CASE("fill: results in the memory of an operand are not filled") {
  const Filling filling;
  const std::vector<std::uint32_t> all{bits(1), bits(2), bits(3), bits(4)};
  CHECK(results(1, [](MLGraphBuilder& b, MLOperand x) { return b.abs(b.neg(b.abs(x))); }) == all);
}

TEST_CASE("fill: not without being asked for") {
  const Filling filling;
  set_fills_memory(false);
  const auto y = results(1, [](MLGraphBuilder& b, MLOperand x) { return b.relu(x); });
  CHECK(y[1] == 0);  // as the caller's memory was
}

}  // namespace webnn::inline v0_1::test
