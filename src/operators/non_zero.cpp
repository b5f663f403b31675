// webnn.NonZero. In the first round each part of the tensor counts its elements, in the second one
// it writes their places behind those of the parts before it.
#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const auto& [type, shape] = call.inputs[0];
  if (bits_of(type) < 8) refuse(fail("the data type of its operand is {}", type));
  if (shape.empty()) refuse(fail("its operand is a scalar"));
  const std::size_t n = element_count(shape);
  if (n > 0x7fffffff) refuse(fail("its operand has {} elements, more than {}", n, 0x7fffffff));
  return {{int64, {static_cast<std::uint32_t>(shape.size()), static_cast<std::uint32_t>(n)}},
          {int64, {}}};
}

struct Form {
  Dims shape;
  std::size_t size;
  std::size_t each;  // elements of a part
  std::size_t parts;
};

template <class T> void count(const Form& f, std::size_t part, const Buffers& b) {
  const std::size_t end = std::min(f.size, (part + 1) * f.each);
  std::int64_t n = 0;
  for (std::size_t i = part * f.each; i < end; ++i) n += !(b.in<T>()[i] == T{});
  reinterpret_cast<std::int64_t*>(b.shared)[part] = n;
}

template <class T> void write(const Form& f, std::size_t part, const Buffers& b) {
  const auto* counts = reinterpret_cast<const std::int64_t*>(b.shared);
  std::size_t column = 0;
  for (std::size_t i = 0; i < part; ++i) column += static_cast<std::size_t>(counts[i]);
  auto* y = b.out<std::int64_t>(0);
  const std::size_t end = std::min(f.size, (part + 1) * f.each);
  for (std::size_t i = part * f.each; i < end; ++i) {
    if (b.in<T>()[i] == T{}) continue;
    std::size_t rest = i;
    for (std::size_t d = f.shape.size(); d-- > 0; rest /= f.shape[d])
      y[d * f.size + column] = static_cast<std::int64_t>(rest % f.shape[d]);
    ++column;
  }
  if (part + 1 < f.parts) return;
  *b.out<std::int64_t>(1) = static_cast<std::int64_t>(column);
  for (std::size_t d = 0; d < f.shape.size(); ++d)
    std::fill(y + d * f.size + column, y + (d + 1) * f.size, -1);
}

Lowering lower(const CustomCall& call) {
  constexpr std::size_t worth = 1 << 13;
  const Dims& shape = call.inputs[0].shape;
  const std::size_t n = element_count(shape);
  const Form f{shape, n, worth, (n + worth - 1) / worth};
  return with_type(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return Candidate{.name = "non_zero",
                     .tiles = static_cast<int>(f.parts),
                     .rounds = 2,
                     .shared = f.parts * sizeof(std::int64_t),
                     .run = [=](Range r, const Buffers& b, std::byte*) {
                       for (int i = r.begin; i < r.end; ++i) {
                         const auto part = static_cast<std::size_t>(i);
                         if (r.round == 0) count<T>(f, part, b);
                         else write<T>(f, part, b);
                       }
                     }};
  });
}

}  // namespace

const Definition& non_zero() {
  static const Definition one = custom_operator(
      {.name = "webnn.NonZero", .infer = &infer, .compute = computed_by(&lower), .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
