// gru, gruCell, lstm and lstmCell. A tile is a few vectors of hidden units of one direction. The
// first round copies the states; each step is a round, which needs the complete hidden state of the
// step before. A gru with the reset before its product needs two rounds for a step.
#include "src/kernels/common/recurrent.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/pack.h"
#include "src/kernels/simd/vector/float32/recurrent.h"

namespace webnn::simd {
namespace {

/// The weights of one direction: for each vector of hidden units its gates, one after the other.
struct Weights {
  SharedArray<float> input{};             ///< of the products with the input
  SharedArray<float> recurrent{};         ///< of those with the hidden state
  SharedArray<float> bias{}, new_bias{};  ///< new_bias: of n, with the hidden state
  SharedArray<float> peephole{};
  CacheAligned<float> no_bias{};

  std::size_t bytes() const {
    return (input.size() + bias.size() + recurrent.size() + new_bias.size() + no_bias.size() +
            peephole.size()) *
           sizeof(float);
  }
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
    const std::vector<MLOperand> inputs = inputs_of(chain);
    for (std::size_t d = 0; d < n.directions(); ++d) weights_->push_back(packed(inputs, d));
  }

  std::size_t shared_floats() const {
    return n_.directions() * (n_.batch * (4 * state_row_ + chunk_ * gates_row_));
  }

  Candidate kernel() const {
    std::size_t bytes = 0;
    for (const Weights& w : *weights_) bytes += w.bytes();
    return {.name = gru_ ? "gru" : "lstm",
            .tiles = static_cast<int>(n_.directions()) * cut_.tiles(),
            .rounds = static_cast<int>(1 + n_.steps * phases_),
            .shared = shared_floats() * sizeof(float),
            .packed = bytes,
            .run = [self = *this](Range r, const Buffers& b, std::byte*) { self.run(r, b); }};
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

  /// [vector][gate][k][lanes] of weights [gates * hidden][size].
  SharedArray<float> columns(const MLOperand& weights, std::size_t direction,
                             std::size_t size) const {
    return SharedArray<float>::packed(vectors_ * gates_ * size * width_, [&](float* next) {
      const auto from = floats_of(weights).subspan(direction * gates_ * n_.hidden * size);
      for (std::size_t v = 0; v < vectors_; ++v)
        for (std::size_t g = 0; g < gates_; ++g)
          for (std::size_t k = 0; k < size; ++k)
            for (std::size_t unit = v * width_; unit < (v + 1) * width_; ++unit)
              *next++ = unit < n_.hidden ? from[(n_.gates[g] * n_.hidden + unit) * size + k] : 0.f;
    });
  }
  /// Adds values [gates * hidden] of the gates [first, last) to [vector][gate][lanes].
  void add_bias(std::span<const float> from, std::size_t direction, std::size_t first,
                std::size_t last, float* to) const {
    from = from.subspan(direction * gates_ * n_.hidden);
    for (std::size_t unit = 0; unit < n_.hidden; ++unit)
      for (std::size_t g = first; g < last; ++g)
        to[(unit / width_ * gates_ + g) * width_ + unit % width_] +=
            from[n_.gates[g] * n_.hidden + unit];
  }

  Weights packed(const std::vector<MLOperand>& inputs, std::size_t d) const {
    const auto operand = [&](int slot) -> const MLOperand& {
      return inputs[static_cast<std::size_t>(slot)];
    };
    const bool separate = gru_ && n_.reset_after;
    Weights w{.input = columns(operand(n_.weight), d, n_.inputs),
              .recurrent = columns(operand(n_.recurrent_weight), d, n_.hidden)};
    w.no_bias = CacheAligned<float>(gates_row_);
    w.bias = SharedArray<float>::packed(gates_row_, [&](float* to) {
      if (n_.bias >= 0) add_bias(floats_of(operand(n_.bias)), d, 0, gates_, to);
      if (n_.recurrent_bias >= 0)
        add_bias(floats_of(operand(n_.recurrent_bias)), d, 0, separate ? 2 : gates_, to);
    });
    w.new_bias = SharedArray<float>::packed(state_row_, [&](float* to) {
      if (n_.recurrent_bias < 0 || !separate) return;
      const auto from = floats_of(operand(n_.recurrent_bias));
      std::copy_n(
          from.begin() + static_cast<std::ptrdiff_t>((d * gates_ + n_.gates[2]) * n_.hidden),
          n_.hidden, to);
    });
    if (n_.peephole < 0) return w;
    w.peephole = SharedArray<float>::packed(vectors_ * 3 * width_, [&](float* to) {
      const auto from = floats_of(operand(n_.peephole)).subspan(d * 3 * n_.hidden);
      for (std::size_t unit = 0; unit < n_.hidden; ++unit)
        for (std::size_t g = 0; g < 3; ++g)
          to[(unit / width_ * 3 + g) * width_ + unit % width_] = from[g * n_.hidden + unit];
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
    const Weights& w = (*weights_)[direction];
    const Memory m = memory(b, direction);
    const std::size_t s = round / phases_, phase = round % phases_;
    const bool backward = n_.backward(direction);
    // The steps from `early` on have their products with the input in m.gates.
    const std::size_t chunk = s / chunk_ * chunk_, end = std::min(chunk + chunk_, n_.steps);
    const std::size_t early = backward ? n_.steps - end : chunk;
    const std::size_t time = backward ? n_.steps - 1 - s : s;
    if (s == chunk && phase == 0)
      multiply(input_gemm(w), (end - chunk) * n_.batch, static_cast<int>(first * gates_),
               static_cast<int>(last * gates_), b.in<float>() + early * n_.batch * n_.inputs,
               m.gates);
    float* gates = m.gates + (time - early) * n_.batch * gates_row_;
    const float* hidden = m.hidden[s % 2];
    const Gemm all = hidden_gemm(w);
    const bool separate = gru_ && n_.reset_after, one_row = n_.batch == 1;
    if (separate && !one_row)  // rows fill registers when columns come in pairs
      multiply(new_gemm(w), n_.batch, static_cast<int>(first), static_cast<int>(last), hidden,
               m.extra);
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t v = ascends(static_cast<int>(round) + 1) ? i : first + last - 1 - i;
      const int z = static_cast<int>(v * gates_), n = z + 2;
      if (!gru_) multiply(all, n_.batch, z, z + static_cast<int>(gates_), hidden, gates);
      else if (phase == 0) multiply(all, n_.batch, z, n, hidden, gates);
      else multiply(all, n_.batch, n, n + 1, m.extra, gates);
      if (separate && one_row)
        multiply(new_gemm(w), 1, static_cast<int>(v), static_cast<int>(v) + 1, hidden, m.extra);
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
            .peephole = w.peephole.empty() ? nullptr : w.peephole.data() + v * 3 * width_,
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

  Gemm input_gemm(const Weights& w) const {
    return {.w = w.input.data(),
            .bias = w.bias.data(),
            .column_size = n_.inputs * width_,
            .k = n_.inputs,
            .x_stride = n_.inputs,
            .y_stride = gates_row_,
            .columns = static_cast<int>(gates_row_)};
  }
  /// Adds to the results of input_gemm().
  Gemm hidden_gemm(const Weights& w) const {
    return {.w = w.recurrent.data(),
            .bias = w.no_bias.data(),
            .column_size = n_.hidden * width_,
            .k = n_.hidden,
            .x_stride = state_row_,
            .y_stride = gates_row_,
            .columns = static_cast<int>(gates_row_),
            .accumulate = true};
  }
  /// The product for n.
  Gemm new_gemm(const Weights& w) const {
    return {.w = w.recurrent.data() + 2 * n_.hidden * width_,
            .bias = w.new_bias.data(),
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
  std::shared_ptr<std::vector<Weights>> weights_ = std::make_shared<std::vector<Weights>>();
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
  return with_packed_inputs(RecurrentNetwork(n, gru, chain).kernel(), chain,
                            {0, n.hidden_state, n.cell_state});
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

}  // namespace webnn::simd
