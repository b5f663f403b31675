// Random numbers: with a seed the same in each run, without one others.
#include <bit>

#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Numbers of the shape that the attributes have, or of that of an operand.
MLOperand numbers(Call& c, CustomAttributes attributes, std::optional<MLOperand> like) {
  std::vector<MLOperand> operands;
  if (like) operands.push_back(*like);
  const bool seeded = c.has_attribute("seed");
  const auto seed = std::bit_cast<std::int32_t>(static_cast<float>(c.real("seed", 0)));
  if (seeded) attributes.push_back({"seed", seed});
  return c.b.custom(seeded ? operators::random() : operators::fresh_random(), std::move(operands),
                    {.attributes = std::move(attributes), .label = c.label()})[0];
}

/// In the type of the attribute dtype.
void put_as(Call& c, const MLOperand& y, ElementType fallback) {
  const ElementType type = c.element_type("dtype", fallback);
  const bool boolean = type == ElementType::BOOL;
  c.set(0, {.x = c.cast(y, boolean ? uint8 : c.data_type(type)), .boolean = boolean});
}

ElementType type_of(Call& c) {
  if (c.in(0).boolean) return ElementType::BOOL;
  switch (c.type(0)) {
    case float16: return ElementType::FLOAT16;
    case bfloat16: return ElementType::BFLOAT16;
    case int32: return ElementType::INT32;
    case int64: return ElementType::INT64;
    case uint32: return ElementType::UINT32;
    case uint64: return ElementType::UINT64;
    case int8: return ElementType::INT8;
    case uint8: return ElementType::UINT8;
    default: return ElementType::FLOAT;
  }
}

template <bool normal, bool like> void random(Call& c) {
  CustomAttributes attributes{{"distribution", normal ? "normal" : "uniform"},
                              {"first", normal ? c.real("mean", 0) : c.real("low", 0)},
                              {"second", normal ? c.real("scale", 1) : c.real("high", 1)}};
  std::optional<MLOperand> x;
  if (like) {
    x = c.x();
  } else {
    const auto shape = c.ints("shape");
    if (!shape) c.refuse(fail("it has no shape"));
    attributes.push_back({"shape", *shape});
  }
  put_as(c, numbers(c, std::move(attributes), x), like ? type_of(c) : ElementType::FLOAT);
}

/// 1 where a number from 0 to 1 is below the probability.
void bernoulli(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  put_as(c, c.b.lesser(numbers(c, {}, x), c.cast(x, float32)), type_of(c));
}

/// Samples of classes, from the logarithms of their probabilities: the class for which the
/// logarithm with noise of the distribution of Gumbel is the largest.
void multinomial(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  c.require_rank(x, 2, 2);
  const std::uint32_t samples = c.dimension(c.integer("sample_size", 1), "sample_size");
  const MLOperand logits = c.with_one(c.cast(x, float32), 1);
  const MLOperand all =
      c.expand(logits, SizeList{Size::dimension(x, 0), samples, Size::dimension(x, 1)});
  const auto k = [&](double v) { return c.scalar(float32, v); };
  // Not 0, of which the logarithm is infinite.
  const MLOperand u = c.b.max(numbers(c, {}, all), k(1e-30));
  const MLOperand noise = c.b.neg(c.b.log(c.b.neg(c.b.log(u))));
  const MLOperand chosen =
      c.b.argMax(c.b.add(all, noise), 2, {.outputDataType = int64, .label = c.label()});
  put_as(c, chosen, ElementType::INT32);
}

constexpr std::string_view limits = "as webnn.Random; without a seed as webnn.FreshRandom";
constexpr Handler handlers[] = {
    {"Bernoulli", &bernoulli, 15, 1, 1, 1, limits},
    {"Multinomial", &multinomial, 7, 1, 1, 1, limits},
    {"RandomNormal", &random<true, false>, 1, 0, 0, 1, limits},
    {"RandomNormalLike", &random<true, true>, 1, 1, 1, 1, limits},
    {"RandomUniform", &random<false, false>, 1, 0, 0, 1, limits},
    {"RandomUniformLike", &random<false, true>, 1, 1, 1, 1, limits},
};

}  // namespace

std::span<const Handler> random_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
