// gru, gruCell, lstm and lstmCell. A tile is a few vectors of hidden units of one direction. The
// first round copies the states; each step is a round, which needs the complete hidden state of the
// step before. A gru with the reset before its product needs two rounds for a step.
#include "src/kernels/common/recurrent.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/pack.h"
#include "src/kernels/simd/vector/float32/recurrent.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The weights of one direction: for each vector of hidden units its gates, one after the other.
struct Weights {
  PackedArray<float> input{};             ///< of the products with the input
  PackedArray<float> recurrent{};         ///< of those with the hidden state
  PackedArray<float> bias{}, new_bias{};  ///< new_bias: of n, with the hidden state
  PackedArray<float> peephole{};
};

class RecurrentNetwork {
 public:
  RecurrentNetwork(const Recurrent& n, bool gru, Chain chain)
      : n_(n),
        gru_(gru),
        gates_(gru ? 3 : 4),
        width_(static_cast<std::size_t>(lanes())),
        vectors_((n.hidden + width_ - 1) / width_),
        state_row_(vectors_ * width_),
        gates_row_(vectors_ * gates_ * width_),
        chunk_(std::clamp<std::size_t>(rows_of_a_product / n.batch, 1, n.steps)),
        phases_(gru && !n.reset_after ? 2 : 1) {
    // Rounds are short, and each ends with a barrier.
    constexpr double small_tiles = 8;
    const double macs = static_cast<double>(n.batch * gates_ * width_ * n.hidden);
    cut_ = partition(vectors_, small_tiles * macs / macs_per_operation);
    no_bias_ = CacheAligned<float>(gates_row_);
    const std::vector<MLOperand> inputs = inputs_of(chain);
    for (std::size_t d = 0; d < n.directions(); ++d) weights_.push_back(packed(inputs, d));
  }

  std::size_t shared_floats() const {
    return n_.directions() * (n_.batch * (4 * state_row_ + chunk_ * gates_row_));
  }

  static Candidate kernel(std::shared_ptr<RecurrentNetwork> self) {
    std::vector<WeightBlock> blocks = std::exchange(self->blocks_, {});
    const RecurrentNetwork& n = *self;
    return {.name = n.gru_ ? "gru" : "lstm",
            .tiles = static_cast<int>(n.n_.directions()) * n.cut_.tiles(),
            .rounds = static_cast<int>(1 + n.n_.steps * n.phases_),
            .shared = n.shared_floats() * sizeof(float),
            .weights = std::move(blocks),
            .run = [self = std::move(self)](Range r, const Buffers& b, std::byte*) {
              self->run(r, b);
            }};
  }

 private:
  static constexpr std::size_t rows_of_a_product = 128;

  /// The part of Buffers::shared of one direction.
  struct Memory {
    std::array<float*, 2> hidden;  ///< before and after a step, alternating
    float *cell, *extra, *gates;
  };
  Memory memory(const Buffers& b, std::size_t direction) const {
    const std::size_t state = n_.batch * state_row_;
    float* at = reinterpret_cast<float*>(b.shared) +
                direction * (4 * state + n_.batch * chunk_ * gates_row_);
    return {{at, at + state}, at + 2 * state, at + 3 * state, at + 4 * state};
  }

  std::string text(const char* name, std::size_t direction, std::size_t size) const {
    return layout_text(name, width_, gates_, n_.hidden, size, direction, n_.gates[0], n_.gates[1],
                       n_.gates[2], n_.gates[3]);
  }
  /// [vector][gate][k][lanes] of weights [gates * hidden][size].
  PackedArray<float> columns(const MLOperand& weights, int slot, std::size_t direction,
                             std::size_t size) {
    const auto pack = [=, n = n_, width = width_, gates = gates_, vectors = vectors_](float* next) {
      const auto from = floats_of(weights).subspan(direction * gates * n.hidden * size);
      for (std::size_t v = 0; v < vectors; ++v)
        for (std::size_t g = 0; g < gates; ++g)
          for (std::size_t k = 0; k < size; ++k)
            for (std::size_t unit = v * width; unit < (v + 1) * width; ++unit)
              *next++ = unit < n.hidden ? from[(n.gates[g] * n.hidden + unit) * size + k] : 0.f;
    };
    return add_packed<float>(blocks_, vectors_ * gates_ * size * width_,
                             text("gates/1", direction, size), {slot}, pack);
  }
  /// What biases are packed by.
  struct BiasLayout {
    std::size_t hidden, width, gates;
    std::array<std::size_t, 4> order;

    /// Adds values [gates * hidden] of the gates [0, last) to [vector][gate][lanes].
    void add(std::span<const float> from, std::size_t direction, std::size_t last,
             float* to) const {
      from = from.subspan(direction * gates * hidden);
      for (std::size_t unit = 0; unit < hidden; ++unit)
        for (std::size_t g = 0; g < last; ++g)
          to[(unit / width * gates + g) * width + unit % width] += from[order[g] * hidden + unit];
    }
  };

  Weights packed(const std::vector<MLOperand>& inputs, std::size_t d) {
    const auto operand = [&](int slot) {
      return slot < 0 ? MLOperand() : inputs[static_cast<std::size_t>(slot)];
    };
    const bool separate = gru_ && n_.reset_after;
    const BiasLayout layout{n_.hidden, width_, gates_, n_.gates};
    const MLOperand bias = operand(n_.bias), recurrent_bias = operand(n_.recurrent_bias),
                    peephole = operand(n_.peephole);
    Weights w{
        .input = columns(operand(n_.weight), n_.weight, d, n_.inputs),
        .recurrent = columns(operand(n_.recurrent_weight), n_.recurrent_weight, d, n_.hidden)};
    w.bias = add_packed<float>(
        blocks_, gates_row_,
        text("gate biases/1", d, separate) + (bias ? " b" : "") + (recurrent_bias ? " r" : ""),
        {n_.bias, n_.recurrent_bias}, [=](float* to) {
          if (bias) layout.add(floats_of(bias), d, layout.gates, to);
          if (recurrent_bias)
            layout.add(floats_of(recurrent_bias), d, separate ? 2 : layout.gates, to);
        });
    const bool of_new = recurrent_bias && separate;
    w.new_bias = add_packed<float>(
        blocks_, state_row_, of_new ? text("gate bias/1", d, 2) : "zeros/1",
        {of_new ? n_.recurrent_bias : -1}, [=](float* to) {
          if (!of_new) return;
          const auto from = floats_of(recurrent_bias);
          std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(
                                         (d * layout.gates + layout.order[2]) * layout.hidden),
                      layout.hidden, to);
        });
    if (!peephole) return w;
    w.peephole = add_packed<float>(
        blocks_, vectors_ * 3 * width_, text("peepholes/1", d, 3), {n_.peephole}, [=](float* to) {
          const auto from = floats_of(peephole).subspan(d * 3 * layout.hidden);
          for (std::size_t unit = 0; unit < layout.hidden; ++unit)
            for (std::size_t g = 0; g < 3; ++g)
              to[(unit / layout.width * 3 + g) * layout.width + unit % layout.width] =
                  from[g * layout.hidden + unit];
        });
    return w;
  }

  void run(Range r, const Buffers& b) const {
    const auto tiles = cut_.tiles();
    for (int i = r.begin; i < r.end; ++i) {
      const int tile = ascends(r.round) ? i : r.begin + r.end - 1 - i;
      const Range part{tile % tiles, tile % tiles + 1};
      const auto direction = static_cast<std::size_t>(tile / tiles);
      const std::size_t first = cut_.begin(part), last = cut_.end(part);
      if (r.round == 0) begin(b, direction, first, last);
      else step(b, direction, static_cast<std::size_t>(r.round - 1), first, last);
    }
  }

  /// Every other step goes through the weights from the end: what is still in a cache that does not
  /// hold all of them is read first.
  bool ascends(int round) const {
    return (static_cast<std::size_t>(round) + phases_ - 1) / phases_ % 2 == 0;
  }

  void begin(const Buffers& b, std::size_t direction, std::size_t first, std::size_t last) const {
    const Memory m = memory(b, direction);
    const auto load_state = [&](int slot, float* to) {
      const float* from =
          slot < 0 ? nullptr
                   : b.in<float>(static_cast<std::size_t>(slot)) + direction * n_.batch * n_.hidden;
      for (std::size_t row = 0; row < n_.batch; ++row)
        for (std::size_t unit = first * width_; unit < last * width_; ++unit)
          to[row * state_row_ + unit] =
              from && unit < n_.hidden ? from[row * n_.hidden + unit] : 0.f;
    };
    load_state(n_.hidden_state, m.hidden[0]);
    load_state(n_.cell_state, m.cell);
  }

  /// One round for the vectors [first, last).
  void step(const Buffers& b, std::size_t direction, std::size_t round, std::size_t first,
            std::size_t last) const {
    const Weights& w = weights_[direction];
    const Memory m = memory(b, direction);
    const std::size_t s = round / phases_, phase = round % phases_;
    const bool backward = n_.backward(direction);
    // The steps from `early` on have their products with the input in m.gates.
    const std::size_t chunk = s / chunk_ * chunk_, end = std::min(chunk + chunk_, n_.steps);
    const std::size_t early = backward ? n_.steps - end : chunk;
    const std::size_t time = backward ? n_.steps - 1 - s : s;
    if (s == chunk && phase == 0)
      multiply(input_gemm(b, w), (end - chunk) * n_.batch, static_cast<int>(first * gates_),
               static_cast<int>(last * gates_), b.in<float>() + early * n_.batch * n_.inputs,
               m.gates);
    float* gates = m.gates + (time - early) * n_.batch * gates_row_;
    const float* hidden = m.hidden[s % 2];
    const Gemm all = hidden_gemm(b, w);
    const bool separate = gru_ && n_.reset_after, one_row = n_.batch == 1;
    if (separate && !one_row)  // rows fill registers when columns come in pairs
      multiply(new_gemm(b, w), n_.batch, static_cast<int>(first), static_cast<int>(last), hidden,
               m.extra);
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t v = ascends(static_cast<int>(round) + 1) ? i : first + last - 1 - i;
      const int z = static_cast<int>(v * gates_), n = z + 2;
      if (!gru_) multiply(all, n_.batch, z, z + static_cast<int>(gates_), hidden, gates);
      else if (phase == 0) multiply(all, n_.batch, z, n, hidden, gates);
      else multiply(all, n_.batch, n, n + 1, m.extra, gates);
      if (separate && one_row)
        multiply(new_gemm(b, w), 1, static_cast<int>(v), static_cast<int>(v) + 1, hidden, m.extra);
      finish(units(b, w, m, direction, s, time, gates, v), phase);
    }
  }

  void finish(const Units& u, std::size_t phase) const {
    if (!gru_) lstm_next(u);
    else if (phase + 1 < phases_) gru_reset(u);
    else gru_next(u, n_.reset_after);
  }

  Units units(const Buffers& b, const Weights& w, const Memory& m, std::size_t direction,
              std::size_t s, std::size_t time, float* gates, std::size_t v) const {
    const std::size_t at = v * width_, state = n_.batch * n_.hidden;
    Units u{.rows = n_.batch,
            .units = static_cast<int>(std::min(width_, n_.hidden - at)),
            .activations = n_.activations,
            .gates = gates + v * gates_ * width_,
            .gates_row = gates_row_,
            .state_row = state_row_,
            .hidden = m.hidden[s % 2] + at,
            .next = m.hidden[(s + 1) % 2] + at,
            .extra = m.extra + at,
            .cell = m.cell + at,
            .peephole = w.peephole.empty() ? nullptr : w.peephole.in(b) + v * 3 * width_,
            .out_row = n_.hidden};
    if (n_.sequence)
      u.hidden_out[1] =
          b.out<float>(gru_ ? 1 : 2) + (time * n_.directions() + direction) * state + at;
    if (s + 1 == n_.steps) {
      u.hidden_out[0] = b.out<float>(0) + direction * state + at;
      if (!gru_) u.cell_out = b.out<float>(1) + direction * state + at;
    }
    return u;
  }

  Gemm input_gemm(const Buffers& b, const Weights& w) const {
    return {.w = w.input.in(b),
            .bias = w.bias.in(b),
            .column_size = n_.inputs * width_,
            .k = n_.inputs,
            .x_stride = n_.inputs,
            .y_stride = gates_row_,
            .columns = static_cast<int>(gates_row_)};
  }
  /// Adds to the results of input_gemm().
  Gemm hidden_gemm(const Buffers& b, const Weights& w) const {
    return {.w = w.recurrent.in(b),
            .bias = no_bias_.data(),
            .column_size = n_.hidden * width_,
            .k = n_.hidden,
            .x_stride = state_row_,
            .y_stride = gates_row_,
            .columns = static_cast<int>(gates_row_),
            .accumulate = true};
  }
  /// The product for n.
  Gemm new_gemm(const Buffers& b, const Weights& w) const {
    return {.w = w.recurrent.in(b) + 2 * n_.hidden * width_,
            .bias = w.new_bias.in(b),
            .column_size = gates_ * n_.hidden * width_,
            .k = n_.hidden,
            .x_stride = state_row_,
            .y_stride = state_row_,
            .columns = static_cast<int>(state_row_)};
  }
  static void multiply(const Gemm& g, std::size_t rows, int first, int last, const float* x,
                       float* y) {
    if (rows == 1) gemv(g, first, last, x, y, nullptr);
    else gemm(g, static_cast<int>(rows), first, last, x, y, nullptr);
  }

  Recurrent n_;
  bool gru_;
  std::size_t gates_, width_, vectors_, state_row_, gates_row_, chunk_, phases_;
  Partition cut_{};
  std::vector<Weights> weights_{};
  CacheAligned<float> no_bias_{};
  std::vector<WeightBlock> blocks_{};
};

Lowering lower_recurrent(const Recurrent& n, bool gru, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a recurrent network"};
  const std::vector<MLOperand> inputs = inputs_of(chain);
  for (int slot : {n.weight, n.recurrent_weight, n.bias, n.recurrent_bias, n.peephole})
    if (slot >= 0 && !inputs[static_cast<std::size_t>(slot)].constant())
      return Refusal{"only constant weights"};
  // The reference kernel, which sums in double precision, is as fast where sums are short.
  constexpr std::size_t min_weights = 4096;
  if ((gru ? 3 : 4) * n.hidden * (n.inputs + n.hidden) < min_weights)
    return Refusal{"the network is too small"};
  constexpr std::size_t max_steps = 1 << 28, max_rows = 1 << 24;
  if (n.steps > max_steps || n.batch > max_rows) return Refusal{"too many steps or rows"};
  const double padded = static_cast<double>(n.hidden + static_cast<std::size_t>(lanes()));
  if (8.0 * static_cast<double>(n.batch + 128) * padded * sizeof(float) * 2 > max_scratch)
    return Refusal{"needs too much memory"};
  return RecurrentNetwork::kernel(std::make_shared<RecurrentNetwork>(n, gru, chain));
}

}  // namespace

Lowering lower(const ops::gru& op, Chain chain) {
  return lower_recurrent(recurrent_of(op), true, chain);
}
Lowering lower(const ops::gruCell& op, Chain chain) {
  return lower_recurrent(recurrent_of(op), true, chain);
}
Lowering lower(const ops::lstm& op, Chain chain) {
  return lower_recurrent(recurrent_of(op), false, chain);
}
Lowering lower(const ops::lstmCell& op, Chain chain) {
  return lower_recurrent(recurrent_of(op), false, chain);
}

}  // namespace webnn::inline v0_1::simd
