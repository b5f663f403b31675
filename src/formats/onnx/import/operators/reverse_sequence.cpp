#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

void check_lengths(Call& c, const Size& steps) {
  for (const std::int64_t length : c.ints(1))
    if (length < 1 || (steps.is_known() && length > steps.number()))
      c.refuse(fail("the length {} is not between 1 and {}", length, steps.text()));
}

/// Reverses the beginning of each sequence: a gather with places that follow from the lengths.
void reverse_sequence(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t batch = c.axis(c.integer("batch_axis", 1), x.rank());
  const std::uint32_t time = c.axis(c.integer("time_axis", 0), x.rank());
  if (batch == time || batch > 1 || time > 1)
    c.refuse(fail("batch_axis ({}) and time_axis ({}) are not 0 and 1", batch, time));
  const SizeList sizes = formats::sizes_of(x);
  const Size& steps = sizes[time];
  c.require_shape(c.x(1), {sizes[batch]}, "sequence_lens");
  if (c.is_known(1)) check_lengths(c, steps);
  SizeList along_time(x.rank(), 1), along_batch(x.rank(), 1);
  along_time[time] = steps;
  along_batch[batch] = sizes[batch];
  const MLOperand step = c.numbers(int32, along_time, steps);
  const MLOperand lengths = c.reshaped(c.cast(c.x(1), int32), along_batch);
  const MLOperand reversed = c.b.sub(c.b.sub(lengths, c.scalar(int32, 1)), step);
  const MLOperand places = c.b.where(c.b.lesser(step, lengths), reversed, step);
  c.put_like(0, c.b.gatherElements(x, c.expand(places, sizes), {.axis = time, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"ReverseSequence", &reverse_sequence, 10, 2, 2},
};

}  // namespace

std::span<const Handler> reverse_sequence_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
