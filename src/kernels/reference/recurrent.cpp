#include "src/kernels/reference/recurrent.h"

#include <cmath>

#include "src/kernels/reference/wide.h"

namespace webnn::reference {
namespace {

double activate(MLRecurrentNetworkActivation f, double v) {
  using enum MLRecurrentNetworkActivation;
  switch (f) {
    case relu: return v < 0 ? 0 : v;
    case sigmoid: return 1 / (1 + std::exp(-v));
    case tanh: return std::tanh(v);
  }
  return v;
}

/// Rows of a batch in one direction: what a tile computes. States are kept in double from step to
/// step and rounded only when they are written.
struct Part {
  std::size_t direction, first, rows;  // of the batch
};

struct Parts {
  std::size_t each, blocks, directions;  // rows of a block; blocks of the batch
  std::size_t batch;

  explicit Parts(const Recurrent& n, std::size_t gates)
      : directions(n.directions()), batch(n.batch) {
    const double cost = 2.0 * static_cast<double>(n.steps) * static_cast<double>(gates * n.hidden) *
                        static_cast<double>(n.inputs + n.hidden);
    constexpr std::size_t most = 16;  // for scratch memory and for caches
    each = std::min(partition(batch, cost).each, most);
    blocks = (batch + each - 1) / each;
  }
  int tiles() const { return static_cast<int>(blocks * directions); }
  Part operator[](int tile) const {
    const auto t = static_cast<std::size_t>(tile);
    const std::size_t first = t % blocks * each;
    return {t / blocks, first, std::min(each, batch - first)};
  }
};

/// One operand of type T, at one direction.
template <class T> class Weights {
 public:
  Weights(const Buffers& b, int input, std::size_t direction, std::size_t elements)
      : data_(input < 0 ? nullptr
                        : b.in<T>(static_cast<std::size_t>(input)) + direction * elements) {}
  double operator[](std::size_t i) const { return data_ ? wide(data_[i]) : 0; }
  const T* data() const { return data_; }

 private:
  const T* data_;
};

/// out[row][gates + h] += weight[first + h] . v[row], for each row of the part and h < hidden.
template <class T>
void add_products(const T* weight, const double* v, std::size_t size, std::size_t hidden,
                  std::size_t rows, double* out, std::size_t out_stride) {
  for (std::size_t h = 0; h < hidden; ++h)
    for (std::size_t r = 0; r < rows; ++r)
      out[r * out_stride + h] += dot(weight + h * size, v + r * size, size);
}

template <class T> void read(const T* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = wide(from[i]);
}
template <class T> void write(const double* from, std::size_t n, T* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = narrow<T>(from[i]);
}

/// Memory of a tile, in doubles: the input of a step, states, and room for each gate.
struct Memory {
  double *x, *hidden, *cell, *gates, *reset;

  static std::size_t size(const Recurrent& n, std::size_t rows, std::size_t gates) {
    return rows * (n.inputs + (gates + 3) * n.hidden);
  }
  Memory(const Recurrent& n, std::size_t rows, std::size_t count, std::byte* scratch) {
    x = reinterpret_cast<double*>(scratch);
    hidden = x + rows * n.inputs;
    cell = hidden + rows * n.hidden;
    reset = cell + rows * n.hidden;
    gates = reset + rows * n.hidden;
    std::fill(hidden, gates + rows * count * n.hidden, 0.0);
  }
};

template <class T> struct Operands {
  Weights<T> weight, recurrent_weight, bias, recurrent_bias, peephole;

  Operands(const Recurrent& n, const Buffers& b, std::size_t d, std::size_t gates)
      : weight(b, n.weight, d, gates * n.hidden * n.inputs),
        recurrent_weight(b, n.recurrent_weight, d, gates * n.hidden * n.hidden),
        bias(b, n.bias, d, gates * n.hidden),
        recurrent_bias(b, n.recurrent_bias, d, gates * n.hidden),
        peephole(b, n.peephole, d, 3 * n.hidden) {}
};

/// The next hidden state of each row, from that of memory and the input of the step.
template <class T>
void gru_step(const Recurrent& n, const Operands<T>& w, std::size_t rows, const Memory& m) {
  const std::size_t H = n.hidden, width = 4 * H;
  // Per row: z, r and two parts of n, without and with the hidden state.
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t h = 0; h < H; ++h) {
        const std::size_t i = n.gates[g] * H + h;
        double* at = m.gates + r * width + g * H + h;
        at[0] = w.bias[i] + (g < 2 ? w.recurrent_bias[i] : 0);
        if (g == 2) at[H] = w.recurrent_bias[i];
      }
  for (std::size_t g = 0; g < 3; ++g) {
    const std::size_t first = n.gates[g] * H;
    add_products(w.weight.data() + first * n.inputs, m.x, n.inputs, H, rows, m.gates + g * H,
                 width);
    if (g < 2)
      add_products(w.recurrent_weight.data() + first * H, m.hidden, H, H, rows, m.gates + g * H,
                   width);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t h = 0; h < 2 * H; ++h)
      m.gates[r * width + h] = activate(n.activations[0], m.gates[r * width + h]);
  const double* state = m.hidden;
  if (!n.reset_after) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t h = 0; h < H; ++h)
        m.reset[r * H + h] = m.gates[r * width + H + h] * m.hidden[r * H + h];
    state = m.reset;
  }
  add_products(w.recurrent_weight.data() + n.gates[2] * H * H, state, H, H, rows, m.gates + 3 * H,
               width);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t h = 0; h < H; ++h) {
      const double* at = m.gates + r * width + h;
      const double z = at[0], reset = n.reset_after ? at[H] : 1;
      const double next = activate(n.activations[1], at[2 * H] + reset * at[3 * H]);
      double& hidden = m.hidden[r * H + h];
      hidden = z * hidden + (1 - z) * next;
    }
}

/// The next hidden and cell state of each row.
template <class T>
void lstm_step(const Recurrent& n, const Operands<T>& w, std::size_t rows, const Memory& m) {
  const std::size_t H = n.hidden, width = 4 * H;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t g = 0; g < 4; ++g)
      for (std::size_t h = 0; h < H; ++h) {
        const std::size_t i = n.gates[g] * H + h;
        double v = w.bias[i] + w.recurrent_bias[i];
        if (g < 3 && w.peephole.data()) v += w.peephole[g * H + h] * m.cell[r * H + h];
        m.gates[r * width + g * H + h] = v;
      }
  for (std::size_t g = 0; g < 4; ++g) {
    const std::size_t first = n.gates[g] * H;
    add_products(w.weight.data() + first * n.inputs, m.x, n.inputs, H, rows, m.gates + g * H,
                 width);
    add_products(w.recurrent_weight.data() + first * H, m.hidden, H, H, rows, m.gates + g * H,
                 width);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t h = 0; h < H; ++h) {
      const double* at = m.gates + r * width + h;
      const auto f = [&](std::size_t g) { return activate(n.activations[0], at[g * H]); };
      double& cell = m.cell[r * H + h];
      cell = f(2) * cell + f(0) * activate(n.activations[1], at[3 * H]);
      m.hidden[r * H + h] = f(1) * activate(n.activations[2], cell);
    }
}

/// All steps of one part. `results` are those before the sequence.
template <class T, class Step>
void run_part(const Recurrent& n, const Part& part, std::size_t gates, std::size_t results,
              const Buffers& b, std::byte* scratch, Step step) {
  const std::size_t rows = part.rows, H = n.hidden, state = rows * H;
  const Operands<T> w(n, b, part.direction, gates);
  const Memory m(n, rows, 4, scratch);
  const std::size_t at = (part.direction * n.batch + part.first) * H;
  if (n.hidden_state >= 0)
    read(b.in<T>(static_cast<std::size_t>(n.hidden_state)) + at, state, m.hidden);
  if (n.cell_state >= 0) read(b.in<T>(static_cast<std::size_t>(n.cell_state)) + at, state, m.cell);
  for (std::size_t s = 0; s < n.steps; ++s) {
    const std::size_t t = n.backward(part.direction) ? n.steps - 1 - s : s;
    read(b.in<T>(0) + (t * n.batch + part.first) * n.inputs, rows * n.inputs, m.x);
    step(w, rows, m);
    if (n.sequence)
      write(m.hidden, state, b.out<T>(results) + t * n.directions() * n.batch * H + at);
  }
  write(m.hidden, state, b.out<T>(0) + at);
  if (results > 1) write(m.cell, state, b.out<T>(1) + at);
}

template <bool Gru> Kernel kernel(const Recurrent& n) {
  constexpr std::size_t gates = Gru ? 3 : 4;
  const Parts parts(n, gates);
  Kernel k{.name = "loop",
           .tiles = parts.tiles(),
           .scratch = sizeof(double) * Memory::size(n, parts.each, 4)};
  k.run = dispatch_type<types::floats>(n.type, [&]<class T>() -> decltype(k.run) {
    return [=](Range r, const Buffers& b, std::byte* scratch) {
      for (int tile = r.begin; tile < r.end; ++tile)
        run_part<T>(n, parts[tile], gates, Gru ? 1 : 2, b, scratch,
                    [&](const Operands<T>& w, std::size_t rows, const Memory& m) {
                      if constexpr (Gru) gru_step(n, w, rows, m);
                      else lstm_step(n, w, rows, m);
                    });
    };
  });
  return k;
}

}  // namespace

Kernel gru_kernel(const Recurrent& n) { return kernel<true>(n); }
Kernel lstm_kernel(const Recurrent& n) { return kernel<false>(n); }

}  // namespace webnn::reference
