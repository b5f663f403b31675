// Runs single kernels of the backend "simd", outside any plan: every way to cut the tiles, memory
// that ends where a tensor ends, every instruction set of this machine.
#pragma once

#include <functional>
#include <random>
#include <string>

#include "tests/support/catch.h"
#include "webnn/backend.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::test {

/// n floats with nothing readable directly after them (`tail`) or before them.
class Guarded {
 public:
  Guarded(std::size_t n, bool tail);
  ~Guarded();
  Guarded(const Guarded&) = delete;

  float* data() const { return data_; }
  std::size_t size() const { return n_; }
  std::vector<float> values() const { return {data_, data_ + n_}; }

 private:
  std::size_t n_, bytes_;
  void* pages_;
  float* data_;
};

/// A graph under construction whose operators form a chain, with values for its inputs.
class ChainUnderTest {
 public:
  ChainUnderTest();
  explicit ChainUnderTest(std::shared_ptr<const Backend> simd);

  MLGraphBuilder b;
  /// An input, and a constant, with values in [-1, 1], or those given.
  MLOperand input(Dims shape);
  MLOperand input(Dims shape, std::vector<float> values);
  MLOperand constant(Dims shape);
  /// The values of an operand that was made here.
  const std::vector<float>& values(const MLOperand& x) const;

  /// The kernel or refusal of the backend for the whole chain that ends in y, in which fused
  /// operators have been recognized.
  Lowering lower(const MLOperand& y);
  /// Lowers, runs and compares the results of all ways to run it, bit for bit.
  std::vector<float> run(const MLOperand& y);

  std::mt19937 random{1};
  std::string kernel{};  ///< the name of the last one that ran

 private:
  struct Value {
    MLOperand operand;
    std::vector<float> values;
  };
  std::vector<float> random_values(const Dims& shape);
  std::vector<float> values_of(const MLOperand& x) const;
  /// With `gap` floats between the rows of the result, of which nothing is written.
  std::vector<float> run(const Candidate& k, Chain chain, const std::vector<Range>& ranges,
                         bool tail, int in_place, std::size_t gap = 0);

  std::shared_ptr<const Backend> backend_;
  std::vector<Value> known_;
  std::vector<std::pair<std::string, std::size_t>> inputs_;  // name, index in known_
  std::unique_ptr<Graph> graph_;
};

/// f() once for each instruction set of this machine that the library was built for.
void for_targets(const std::function<void()>& f);

/// A sum of products in double precision that knows how far a float sum may be from it.
struct Sum {
  double value = 0, magnitude = 0;
  double inexact = 0;  ///< what the terms may be off by
  int terms = 0;
  void add(double a, double b = 1) {
    value += a * b;
    magnitude += std::abs(a * b);
    ++terms;
  }
  double error() const { return (terms + 4) * 0x1p-24 * magnitude + inexact; }
};
/// The element of a tensor of shape `from` that is broadcast to `shape`, at the place of its
/// element i.
float broadcast(const std::vector<float>& values, const Dims& from, const Dims& shape,
                std::size_t i);
/// Whether y is f(sum), for an f whose slope is at most `slope`, within the error of the sum and 4
/// ULP.
void check_near(float y, const Sum& sum, const std::function<double(double)>& f = {},
                double slope = 1);
/// Whether y is at most so many ULP away from the float that is nearest to the value.
void check_ulp(float y, double expected, double ulp);

}  // namespace webnn::inline v0_1::test
