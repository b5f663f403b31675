// Runs a backend's kernel by hand: chains without a plan, in any ranges, between guard pages.
#pragma once

#include <functional>
#include <random>

#include "webnn/backend.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// A chain of operators with values for what it reads: each node's first operand, or its second,
/// is the result before it.
class KernelCase {
 public:
  using Build = std::function<MLOperand(MLGraphBuilder&)>;

  /// Values of inputs are drawn from [-2, 2) with the seed.
  explicit KernelCase(const Build& build, unsigned seed = 1);

  Chain chain() const { return nodes_; }
  std::span<const float> input(std::size_t i) const { return values_[i]; }
  std::size_t input_count() const { return values_.size(); }
  void set_input(std::size_t i, std::vector<float> values) { values_[i] = std::move(values); }
  /// NaN of both signs, each with bits of its own, and infinities among the elements of what is no
  /// constant.
  void set_special_values();
  std::size_t output_size() const;

  Lowering lower(const Backend& backend) const { return backend.lower(chain()); }

  /// Runs the kernel in these ranges, in this order. Every array ends where its memory ends, and
  /// begins at no better alignment than that of a float; scratch and result are full of NaN.
  /// With in_place the result takes over the first input that allows it.
  std::vector<float> run(const Candidate& kernel, const std::vector<Range>& ranges,
                         bool in_place = false) const;
  /// Asks for the same bits from several partitions, on two threads, and in place.
  std::vector<float> run_every_way(const Candidate& kernel) const;

 private:
  MLGraph graph_;
  std::vector<Node> nodes_;
  std::vector<std::vector<float>> values_;
};

/// A value and by how much a float32 computation may differ from it.
struct Exact {
  double value = 0, error = 0;
};
/// The last result of a chain, in double precision by plain loops.
std::vector<Exact> exact(const KernelCase& c);

/// Lowers, runs in every way and compares; fails the test on a refusal.
void check(const Backend& backend, const KernelCase& c);
/// Checks the case, unless the backend refuses; whether it took the chain.
bool check_if_taken(const Backend& backend, const KernelCase& c);
std::string refusal(const Backend& backend, const KernelCase& c);  // empty when it is taken

/// Numbers for random shapes.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint32_t between(std::uint32_t lo, std::uint32_t hi) {
    return std::uniform_int_distribution<std::uint32_t>(lo, hi)(engine_);
  }
  bool chance(double p = 0.5) { return std::bernoulli_distribution(p)(engine_); }
  template <class T> const T& one_of(const std::vector<T>& v) {
    return v[between(0, static_cast<std::uint32_t>(v.size()) - 1)];
  }
  std::vector<float> floats(std::size_t n, float lo = -1, float hi = 1) {
    std::uniform_real_distribution<float> d(lo, hi);
    std::vector<float> v(n);
    for (float& x : v) x = d(engine_);
    return v;
  }
  MLOperand constant(MLGraphBuilder& b, Dims shape, float lo = -1, float hi = 1) {
    const auto values = floats(element_count(shape), lo, hi);
    return b.constant({float32, std::move(shape)}, InputView(std::span<const float>(values)));
  }

 private:
  std::mt19937 engine_;
};

}  // namespace webnn::inline v0_1::test
