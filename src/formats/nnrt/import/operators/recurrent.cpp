// One layer of LSTM. The interface does not say in which order the gates are; here it is that of
// the runtime's own operator with the same six inputs, and of ONNX: input, output, forget, cell.
#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

void lstm(Call& c, const LSTM& a) {
  if (a.numLayers != 1) c.unsupported(fail("{} layers", a.numLayers));
  if (a.projSize != 0) c.unsupported(fail("projections to {} elements", a.projSize));
  if (a.zoneoutCell != 0 || a.zoneoutHidden != 0) c.unsupported(fail("states that are kept"));
  const MLOperand x = c.value(0), weight = c.value(1), recurrent = c.value(2);
  if (x.rank() != 3 || weight.rank() != 3 || recurrent.rank() != 3)
    c.refuse(fail("its inputs have the shapes {}, {} and {}", x.shape(), weight.shape(),
                  recurrent.shape()));
  const std::uint32_t steps = x.shape()[0], batch = x.shape()[1], hidden = recurrent.shape()[2];
  const std::uint32_t directions = weight.shape()[0];
  if (directions != (a.bidirectional ? 2u : 1u))
    c.refuse(fail("its weights have {} directions", directions));
  using enum MLRecurrentNetworkDirection;
  MLLstmOptions o{.returnSequence = true,
                  .direction = a.bidirectional ? both : forward,
                  .layout = MLLstmWeightLayout::iofg,
                  .label = c.label()};
  const bool with_bias = c.inputs() == 6;
  if (!with_bias && a.hasBias) c.refuse(fail("it has a bias, but {} inputs", c.inputs()));
  if (with_bias && a.hasBias) {
    const MLOperand bias = c.value(3);
    const std::uint64_t half = std::uint64_t{hidden} * 4;
    if (element_count(bias.shape()) != directions * 2 * half)
      c.refuse(fail("its bias has shape {}", bias.shape()));
    const auto n = static_cast<std::uint32_t>(half);
    const MLOperand all = c.reshaped(bias, {directions, 2 * n});
    o.bias = c.b.slice(all, {0, 0}, {directions, n});
    o.recurrentBias = c.b.slice(all, {0, n}, {directions, n});
  }
  const std::size_t state = with_bias ? 4 : 3;
  const Dims shape{directions, batch, hidden};
  o.initialHiddenState = c.reshaped(c.value(state), shape);
  o.initialCellState = c.reshaped(c.value(state + 1), shape);
  const auto y = c.b.lstm(x, weight, recurrent, steps, hidden, o);
  // [steps, directions, batch, hidden] there.
  c.put(c.b.reshape(c.b.transpose(y[2], {.permutation = {0, 2, 1, 3}}),
                    {steps, batch, directions * hidden}));
  for (std::size_t i = 1; i < c.outputs(); ++i) {
    if (i > 2) c.refuse(fail("it has {} outputs", c.outputs()));
    c.put(y[i - 1], i);
  }
}

using enum NodeType;
constexpr Rule rules[] = {{NODE_TYPE_LSTM, handle<LSTM, lstm>, 5, 6, false}};

}  // namespace

std::span<const Rule> recurrent_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
