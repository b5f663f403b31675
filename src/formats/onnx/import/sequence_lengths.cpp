// Sequences of different lengths in one batch.
#include "src/formats/onnx/import/recurrent.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// x, in runs in which all lengths are the number of steps. Others are refused, for the shape then
/// has another number of elements.
MLOperand only_with_all_steps(Call& c, const MLOperand& x, const MLOperand& lengths) {
  const MLOperand numbers = c.cast(lengths, int64);
  SizeList shape = formats::sizes_of(x);
  MLOperand y = x;
  for (const MLOperand& length : {c.b.reduceMin(numbers), c.b.reduceMax(numbers)}) {
    shape[0] = Size::element(length, 0);
    y = c.reshape(y, shape, c.label() + ": sequence_lens are not all steps");
  }
  return y;
}

/// Whether all of the lengths, which are known, are the number of steps.
bool are_all_steps(Call& c, const Recurrent& r) {
  bool all = true;
  for (const std::int64_t length : c.ints(4)) {
    if (length < 0 || (r.steps.is_known() && length > r.steps.number()))
      c.refuse(fail("a sequence of {} steps in an input of {}", length, r.steps.text()));
    all = all && r.steps.is(length);
  }
  return all;
}

/// The places at which each sequence is read.
class Places {
 public:
  Places(Call& c, const Recurrent& r)
      : c_(c), r_(r), lengths_(c.reshaped(*r.lengths, {1, r.batch})) {
    const MLOperand step = c.numbers(int32, {r.steps, 1}, r.steps);
    within_ = c.b.lesser(step, lengths_);
    reversed_ = c.b.where(within_, c.b.sub(c.b.sub(lengths_, c.scalar(int32, 1)), step), step);
  }

  /// x [steps, batch, ...], with 0 behind the end of each sequence.
  MLOperand without_rest(const MLOperand& x) const {
    return c_.b.where(c_.reshaped(within_, {r_.steps, r_.batch, 1}), x, c_.scalar_like(x, 0));
  }
  /// 1 behind the end of each sequence, else 0: [steps, batch, 1].
  MLOperand rest(MLOperandDataType type) const {
    return c_.cast(c_.b.logicalNot(c_.reshaped(within_, {r_.steps, r_.batch, 1})), type);
  }
  /// x [steps, batch, ...], with each sequence from its end to its beginning.
  MLOperand reversed(const MLOperand& x) const {
    return c_.b.gatherND(x, coordinates(reversed_, r_.steps));
  }
  /// The last state of each sequence, [batch, hidden].
  MLOperand last(const MLOperand& x) const {
    const MLOperand place = c_.b.max(c_.b.sub(lengths_, c_.scalar(int32, 1)), c_.scalar(int32, 0));
    return c_.reshaped(c_.b.gatherND(x, coordinates(place, 1)), {r_.batch, r_.hidden});
  }
  /// States [1, batch, hidden], with 0 for sequences without steps, as in ONNX Runtime.
  MLOperand of_any(const MLOperand& states) const {
    const MLOperand any = c_.b.greater(lengths_, c_.scalar(int32, 0));
    return c_.b.where(c_.reshaped(any, {1, r_.batch, 1}), states, c_.scalar_like(states, 0));
  }

 private:
  /// Of places [rows, batch] the coordinates [rows, batch, 2].
  MLOperand coordinates(const MLOperand& places, const Size& rows) const {
    const MLOperand sequence =
        c_.expand(c_.numbers(int32, {1, r_.batch, 1}, r_.batch), {rows, r_.batch, 1});
    return c_.b.concat({c_.reshaped(places, {rows, r_.batch, 1}), sequence}, 2);
  }

  Call& c_;
  const Recurrent& r_;
  MLOperand lengths_, within_{}, reversed_{};
};

MLOperand joined(Call& c, const std::vector<MLOperand>& parts, std::uint32_t axis) {
  return parts.size() == 1 ? parts[0] : c.b.concat(parts, axis);
}

}  // namespace

void set_lengths(Call& c, Recurrent& r) {
  if (!c.has(4)) return;
  const MLOperand lengths = c.x(4);
  c.require_shape(lengths, {r.batch}, "sequence_lens");
  if (c.is_known(4)) {
    if (are_all_steps(c, r)) return;
  } else if (c.follows_from_sizes(4)) {
    r.x = only_with_all_steps(c, r.x, lengths);
    return;
  }
  const Size steps = r.steps;
  const MLOperand most =
      steps.is_known() ? c.scalar(int32, steps.number()) : c.b.cast(steps.operand(c.b), int32);
  r.lengths = c.b.min(c.b.max(c.cast(lengths, int32), c.scalar(int32, 0)), most);
}

void put_by_lengths(Call& c, const Recurrent& r,
                    const std::function<Direction(const PaddedInput&, std::uint32_t)>& run) {
  const Places places(c, r);
  std::vector<MLOperand> sequences, last, cells;
  for (std::uint32_t d = 0; d < r.directions; ++d) {
    const bool backward = is_backward(r, d);
    const MLOperand x = places.without_rest(backward ? places.reversed(r.x) : r.x);
    const Direction out = run({x, places.rest(x.dataType())}, d);
    MLOperand y = c.reshaped(out.sequence, {r.steps, r.batch, r.hidden});
    last.push_back(places.of_any(c.reshaped(places.last(y), {1, r.batch, r.hidden})));
    if (backward) y = places.reversed(y);
    sequences.push_back(c.reshaped(places.without_rest(y), {r.steps, 1, r.batch, r.hidden}));
    if (out.cells) cells.push_back(places.of_any(*out.cells));
  }
  put_sequence(c, r, joined(c, sequences, 1));
  put_state(c, r, joined(c, last, 0), 1);
  if (!cells.empty()) put_state(c, r, joined(c, cells, 0), 2);
}

}  // namespace webnn::inline v0_1::onnx
