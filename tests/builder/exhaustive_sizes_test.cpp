// Small graphs with two names: an operator that the builder refuses has no sizes at which it is
// right, for all small sizes were tried.
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::test;

namespace {

constexpr std::uint32_t largest = 8;

/// A graph of a few operators, which follow from the seed: with names, or with sizes.
class Network {
 public:
  Network(MLGraphBuilder& b, std::uint64_t seed, const MLDimension& n, const MLDimension& m)
      : b_(b), random_(seed) {
    all_ = {b.input("x", {float32, {n, m}}), b.input("y", {float32, {m, n}}),
            b.input("z", {float32, {n, number()}}), constant({number(), number()})};
    const auto count = random_.integer(1, 4);
    for (std::uint32_t i = 0; i < count; ++i) all_.push_back(next());
  }

 private:
  std::uint32_t number() { return random_.integer(1, 6); }
  MLOperand constant(Dims shape) {
    const std::vector<float> values(element_count(shape), 1.f);
    return b_.constant({float32, std::move(shape)}, values);
  }
  const MLOperand& any() {
    return all_[random_.integer(0, static_cast<std::uint32_t>(all_.size()) - 1)];
  }
  /// All choices are made before the operator, so that they are the same where it is refused.
  MLOperand next() {
    const std::uint32_t which = random_.integer(0, 8), axis = random_.integer(0, 1);
    const MLOperand x = any(), y = any();
    const std::uint32_t i = number(), k = number();
    switch (which) {
      case 0: return b_.add(x, y);
      case 1: return b_.matmul(x, y);
      case 2: return b_.concat({x, y}, axis);
      case 3: return b_.reshape(x, {i, k});
      case 4: return b_.slice(x, {i - 1, 0}, {k, 1});
      case 5: return b_.split(x, i, {.axis = axis}).back();
      case 6: {
        const MLOperand two = b_.constant({uint32, {2}}, {i, k});
        return b_.reshapeDynamic(x, b_.div(b_.mul(b_.shape(y), two), two));
      }
      case 7: return b_.expandDynamic(b_.slice(x, {0, 0}, {1, 1}), b_.shape(y));
      default: {
        const MLOperand image = b_.unsqueeze(x, {0, 1});
        return b_.squeeze(b_.averagePool2d(image, {.windowDimensions = {{i, k}}}),
                          {.axes = {{0, 1}}});
      }
    }
  }

  MLGraphBuilder& b_;
  Random random_;
  std::vector<MLOperand> all_{};
};

bool is_taken(std::uint64_t seed, const MLDimension& n, const MLDimension& m) {
  MLGraphBuilder b(plain_context());
  try {
    Network(b, seed, n, m);
  } catch (const TypeError&) { return false; }
  return true;
}

}  // namespace

TEST_CASE("open dimensions: what the builder refuses is right at no small sizes") {
  int refused = 0, taken = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    if (is_taken(seed, "n", "m")) {
      ++taken;
      continue;
    }
    ++refused;
    for (std::uint32_t n = 1; n <= largest; ++n)
      for (std::uint32_t m = 1; m <= largest; ++m)
        if (is_taken(seed, n, m)) FAIL_CHECK("seed " << seed << ": " << n << " and " << m);
  }
  CHECK(refused > 100);
  CHECK(taken > 100);
}
