#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Reverses the beginning of each sequence: a gather with places that follow from the lengths.
void reverse_sequence(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t batch = c.axis(c.integer("batch_axis", 1), x.rank());
  const std::uint32_t time = c.axis(c.integer("time_axis", 0), x.rank());
  const Ints lengths = c.ints(1);
  if (c.shape(1).size() != 1) c.refuse(fail("the lengths have rank {}, not 1", c.shape(1).size()));
  if (batch == time || batch > 1 || time > 1)
    c.refuse(fail("batch_axis ({}) and time_axis ({}) are not 0 and 1", batch, time));
  if (lengths.size() != x.shape()[batch])
    c.refuse(fail("it has {} lengths for a batch of {}", lengths.size(), x.shape()[batch]));
  const std::int64_t steps = x.shape()[time];
  c.spend(lengths.size() * static_cast<std::uint64_t>(steps) * 8);
  Dims shape(x.rank(), 1);
  shape[0] = x.shape()[0];
  shape[1] = x.shape()[1];
  Ints places(lengths.size() * static_cast<std::size_t>(steps));
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] < 1 || lengths[n] > steps)
      c.refuse(fail("the length {} is not between 1 and {}", lengths[n], steps));
    for (std::int64_t t = 0; t < steps; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const std::size_t i =
          time == 0 ? at * lengths.size() + n : n * static_cast<std::size_t>(steps) + at;
      places[i] = t < lengths[n] ? lengths[n] - 1 - t : t;
    }
  }
  const MLOperand indices = c.b.expand(c.int64s(shape, places), x.shape());
  c.put_like(0, c.b.gatherElements(x, indices, {.axis = time, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"ReverseSequence", &reverse_sequence, 10, 2, 2, 1, "the lengths are known"},
};

}  // namespace

std::span<const Handler> reverse_sequence_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
