// webnn.Random and webnn.FreshRandom: numbers that follow from a seed and their place alone, so
// that tiles compute them in any order.
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

bool is_normal(const CustomCall& call) {
  return enumerator<bool>(call, "distribution", {{"uniform", false}, {"normal", true}});
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 0, 1);
  const bool normal = is_normal(call);
  for (const char* name : {"first", "second"})
    if (const auto v = call.attribute<double>(name);
        !(std::abs(v) <= std::numeric_limits<float>::max()))
      refuse(fail("{} ({}) is not finite in float32", name, v));
  const auto first = call.attribute<double>("first"), second = call.attribute<double>("second");
  if (normal && second < 0) refuse(fail("second, the standard deviation, is {}", second));
  if (!normal && first > second)
    refuse(fail("first, the low end ({}), is above second, the high one ({})", first, second));
  const auto given = call.attribute<std::vector<std::int64_t>>("shape");
  const auto type = enumerator<MLOperandDataType>(
      call, "type", {{"float32", float32}, {"float16", float16}, {"bfloat16", bfloat16}});
  Dims shape;
  if (!call.inputs.empty() && !given.empty())
    refuse(fail("it has an operand with a shape and the attribute shape"));
  if (!call.inputs.empty()) shape = call.inputs[0].shape;
  for (const std::int64_t size : given) {
    if (size < 1 || size > 0x7fffffff)
      refuse(fail("shape has {}, which is not from 1 to {}", size, 0x7fffffff));
    shape.push_back(static_cast<std::uint32_t>(size));
  }
  if (shape.size() > max_rank) refuse(fail("the rank of its shape is {}", shape.size()));
  return {{type, shape}};
}

/// The bits of a number of a sequence, by David Stafford's 13th mixer of 64 bits, as SplitMix64.
std::uint64_t bits_of_place(std::uint64_t seed, std::uint64_t place) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  const auto mixed = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  return mixed(mixed(seed + golden) + (place + 1) * golden);
}
/// From 0 to below 1, with 53 bits.
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

struct Form {
  double first, second;
  bool normal;
  MLOperandDataType type;
  std::size_t size;

  explicit Form(const CustomCall& call)
      : first(call.attribute<double>("first")),
        second(call.attribute<double>("second")),
        normal(is_normal(call)),
        type(call.outputs[0].dataType),
        size(element_count(call.outputs[0].shape)) {}

  double number(std::uint64_t seed, std::size_t i) const {
    if (!normal) return first + unit(bits_of_place(seed, i)) * (second - first);
    const double u = unit(bits_of_place(seed, 2 * i)), v = unit(bits_of_place(seed, 2 * i + 1));
    const double radius = std::sqrt(-2 * std::log(1 - u));
    return first + second * radius * std::cos(2 * std::numbers::pi * v);
  }
  /// Rounding does not reach the high end, which is not among the numbers.
  template <class T> void write(std::uint64_t seed, std::size_t i, T* y) const {
    y[i] = static_cast<T>(static_cast<float>(number(seed, i)));
    if (!normal && static_cast<float>(y[i]) >= second)
      y[i] = static_cast<T>(static_cast<float>(first));
  }
};

constexpr std::size_t each = 1 << 10;  // numbers of a row

void run_row(const Form& f, std::uint64_t seed, std::size_t row, const Buffers& b) {
  const std::size_t end = std::min(f.size, (row + 1) * each);
  with_float(f.type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = row * each; i < end; ++i) f.write(seed, i, b.out<T>());
  });
}

Lowering lower(const CustomCall& call) {
  const Form f(call);
  const auto seed = static_cast<std::uint64_t>(call.attribute<std::int64_t>("seed"));
  return by_rows("random", (f.size + each - 1) / each, each * 16,
                 [=](std::size_t row, const Buffers& b, std::byte*) { run_row(f, seed, row, b); });
}

/// Another seed in each run, and another first one in each process.
void compute_fresh(const CustomRun& run) {
  static std::atomic<std::uint64_t> next = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  const Form f(run.call);
  const std::uint64_t seed = next.fetch_add(1, std::memory_order_relaxed);
  std::byte* const out = run.out<std::byte>().data();
  const Buffers b{{}, std::span(&out, 1)};
  for (std::size_t row = 0; row * each < f.size; ++row) run_row(f, seed, row, b);
}

CustomAttributes attributes() {
  return {{"distribution", "uniform"},
          {"first", 0.0},
          {"second", 1.0},
          {"shape", std::vector<std::int64_t>{}},
          {"type", "float32"}};
}

}  // namespace

const Definition& random() {
  static const Definition one = [] {
    CustomOperator o{.name = "webnn.Random",
                     .attributes = attributes(),
                     .infer = &infer,
                     .compute = computed_by(&lower),
                     .lower = &lower};
    o.attributes.push_back({"seed", 0});
    return custom_operator(std::move(o));
  }();
  return one;
}

const Definition& fresh_random() {
  static const Definition one = custom_operator({.name = "webnn.FreshRandom",
                                                 .attributes = attributes(),
                                                 .infer = &infer,
                                                 .compute = &compute_fresh,
                                                 .pure = false});
  return one;
}

}  // namespace webnn::inline v0_1::operators
