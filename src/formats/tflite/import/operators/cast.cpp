#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// The values themselves, whatever scales their tensor has. What is not 0 is true.
void cast(Call& c) {
  const MLOperand x = c.stored(0);
  const TensorInfo& to = c.out();
  if (!to.dataType) c.unsupported(fail("WebNN has no type for {}", name_of_type(to.type)));
  if (to.type == schema::TensorType::BOOL)
    return c.put_stored(c.b.notEqual(x, c.scalar_like(x, 0), {.label = c.label()}));
  c.put_stored(c.b.cast(x, *to.dataType, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::CAST, cast, 1, 1},
};

}  // namespace

std::span<const Handler> cast_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
