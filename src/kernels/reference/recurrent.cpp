#include "src/kernels/reference/recurrent.h"

#include "src/kernels/reference/product.h"

namespace webnn::inline v0_1::reference {
namespace {

void activate(MLRecurrentNetworkActivation f, Array<double> v) {
  using enum MLRecurrentNetworkActivation;
  switch (f) {
    case relu: v = (v < 0).select(0, v); return;
    case sigmoid: v = (1 + (-v).unaryExpr([](double e) { return std::exp(e); })).inverse(); return;
    case tanh: v = v.unaryExpr([](double e) { return std::tanh(e); }); return;
  }
}

/// What a tile computes: rows of the batch in one direction. States are kept in double from step to
/// step and rounded only when they are written.
struct Part {
  std::size_t direction, first, rows;
};
struct Parts {
  std::size_t each, blocks, directions;  // rows of a block; blocks of the batch
  std::size_t batch;

  explicit Parts(const Recurrent& n, std::size_t gates)
      : directions(n.directions()), batch(n.batch) {
    const double cost = 2.0 * static_cast<double>(n.steps) * static_cast<double>(gates * n.hidden) *
                        static_cast<double>(n.inputs + n.hidden);
    constexpr std::size_t max_rows = 16;  // for scratch memory and for caches
    each = std::min(partition(batch, cost).each, max_rows);
    blocks = (batch + each - 1) / each;
  }
  int tiles() const { return static_cast<int>(blocks * directions); }
  Part operator[](int tile) const {
    const auto t = static_cast<std::size_t>(tile);
    const std::size_t first = t % blocks * each;
    return {t / blocks, first, std::min(each, batch - first)};
  }
};

/// Memory of a tile: the input of a step, states, and a value for each gate, all [rows, size].
struct Memory {
  ProductBlock& block;
  std::size_t rows, inputs, size;  // size: of a state
  double* data;

  static std::size_t bytes(const Recurrent& n, std::size_t rows) {
    return sizeof(ProductBlock) + sizeof(double) * rows * (n.inputs + 7 * n.hidden);
  }
  Memory(const Recurrent& n, std::size_t r, std::byte* scratch)
      : block(*reinterpret_cast<ProductBlock*>(scratch)),
        rows(r),
        inputs(r * n.inputs),
        size(r * n.hidden),
        data(reinterpret_cast<double*>(scratch + sizeof(ProductBlock))) {}

  Array<double> x() const { return {data, Index(inputs)}; }
  Array<double> state(std::size_t i) const { return {data + inputs + i * size, Index(size)}; }
  Array<double> hidden() const { return state(0); }
  Array<double> cell() const { return state(1); }
  Array<double> other() const { return state(2); }
  Array<double> gate(std::size_t g) const { return state(3 + g); }
};

/// The operands of one direction. Absent ones are null.
template <class T> struct Operands {
  const T *weight, *recurrent_weight, *bias, *recurrent_bias, *peephole;

  Operands(const Recurrent& n, const Buffers& b, std::size_t direction, std::size_t gates) {
    const auto at = [&](int input, std::size_t elements) {
      return input < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(input)) + direction * elements;
    };
    weight = at(n.weight, gates * n.hidden * n.inputs);
    recurrent_weight = at(n.recurrent_weight, gates * n.hidden * n.hidden);
    bias = at(n.bias, gates * n.hidden);
    recurrent_bias = at(n.recurrent_bias, gates * n.hidden);
    peephole = at(n.peephole, 3 * n.hidden);
  }
};

/// Each row of the gate += the vector from `first` on, for a peephole times the cell state.
template <class T>
void add_vector(const Memory& m, Array<double> gate, const T* from, std::size_t first,
                bool peephole = false) {
  if (!from) return;
  const std::size_t size = m.size / m.rows;
  const auto vector = array<double>(from + first, size);
  for (std::size_t i = 0; i < m.size; i += size) {
    auto row = gate.segment(Index(i), Index(size));
    if (peephole) row += vector * m.cell().segment(Index(i), Index(size));
    else row += vector;
  }
}

/// gate += v * the transposed rows of the weight from `first` on.
template <class T>
void add_product(const Memory& m, Array<double> gate, const Array<double>& v, const T* weight,
                 std::size_t first) {
  const std::size_t hidden = m.size / m.rows, depth = std::size_t(v.size()) / m.rows;
  const ProductShape shape{1, m.rows, hidden, depth};
  const Matrix<double> a{v.data(), depth, 1};
  const Matrix<T> b{weight + first * depth, 1, depth};
  for (std::size_t i = 0; i < shape.blocks(); ++i)
    multiply_matrices(shape, shape.location(i), m.block, a, b,
                      [&](std::size_t row, std::size_t column, const auto& sums) {
                        gate.segment(Index(row * hidden + column), sums.size()) += sums;
                      });
}

/// The next hidden state of each row, from that of memory and the input of the step.
template <class T> void gru_step(const Recurrent& n, const Operands<T>& w, const Memory& m) {
  const auto first = [&](std::size_t g) { return n.gates[g] * n.hidden; };
  Array<double> update = m.gate(0), reset = m.gate(1), next = m.gate(2), memory = m.gate(3);
  for (std::size_t g = 0; g < 3; ++g) {
    // The part of the new state that the reset gate may multiply stays apart.
    Array<double> recurrent = m.gate(g < 2 ? g : 3);
    m.gate(g).setZero();
    if (g == 2) memory.setZero();
    add_vector(m, m.gate(g), w.bias, first(g));
    add_vector(m, recurrent, w.recurrent_bias, first(g));
    add_product(m, m.gate(g), m.x(), w.weight, first(g));
    if (g == 2) break;
    add_product(m, recurrent, m.hidden(), w.recurrent_weight, first(g));
    activate(n.activations[0], m.gate(g));
  }
  if (n.reset_after) {
    add_product(m, memory, m.hidden(), w.recurrent_weight, first(2));
    memory *= reset;
  } else {
    m.other() = reset * m.hidden();
    add_product(m, memory, m.other(), w.recurrent_weight, first(2));
  }
  next += memory;
  activate(n.activations[1], next);
  m.hidden() = update * m.hidden() + (1 - update) * next;
}

/// The next hidden and cell state of each row.
template <class T> void lstm_step(const Recurrent& n, const Operands<T>& w, const Memory& m) {
  for (std::size_t g = 0; g < 4; ++g) {
    const std::size_t first = n.gates[g] * n.hidden;
    m.gate(g).setZero();
    add_vector(m, m.gate(g), w.bias, first);
    add_vector(m, m.gate(g), w.recurrent_bias, first);
    if (g < 3) add_vector(m, m.gate(g), w.peephole, g * n.hidden, true);
    add_product(m, m.gate(g), m.x(), w.weight, first);
    add_product(m, m.gate(g), m.hidden(), w.recurrent_weight, first);
    activate(n.activations[g < 3 ? 0 : 1], m.gate(g));
  }
  const Array<double> input = m.gate(0), output = m.gate(1), forget = m.gate(2), next = m.gate(3);
  m.cell() = forget * m.cell() + input * next;
  m.other() = m.cell();
  activate(n.activations[2], m.other());
  m.hidden() = output * m.other();
}

/// All steps of one part.
template <class T, bool Gru>
void run_part(const Recurrent& n, const Part& part, const Buffers& b, std::byte* scratch) {
  const std::size_t rows = part.rows, state = rows * n.hidden;
  const Operands<T> w(n, b, part.direction, Gru ? 3 : 4);
  const Memory m(n, rows, scratch);
  const std::size_t at = (part.direction * n.batch + part.first) * n.hidden;
  const auto read = [&](Array<double> to, int input) {
    if (input < 0) to.setZero();
    else to = array<double>(b.in<T>(static_cast<std::size_t>(input)) + at, state);
  };
  read(m.hidden(), n.hidden_state);
  read(m.cell(), n.cell_state);
  for (std::size_t s = 0; s < n.steps; ++s) {
    const std::size_t t = n.backward(part.direction) ? n.steps - 1 - s : s;
    const T* x = b.in<T>(0) + (t * n.batch + part.first) * n.inputs;
    m.x() = array<double>(x, rows * n.inputs);
    if constexpr (Gru) gru_step(n, w, m);
    else lstm_step(n, w, m);
    if (n.sequence)
      store(m.hidden(), b.out<T>(Gru ? 1 : 2) + t * n.directions() * n.batch * n.hidden + at);
  }
  store(m.hidden(), b.out<T>(0) + at);
  if constexpr (!Gru) store(m.cell(), b.out<T>(1) + at);
}

template <bool Gru> Candidate kernel(const Recurrent& n) {
  const Parts parts(n, Gru ? 3 : 4);
  return {.name = "eigen product",
          .tiles = parts.tiles(),
          .scratch = Memory::bytes(n, parts.each),
          .run = dispatch_type<types::floats>(n.type, [&]<class T>() -> Run {
            return [=](Range r, const Buffers& b, std::byte* scratch) {
              for (int tile = r.begin; tile < r.end; ++tile)
                run_part<T, Gru>(n, parts[tile], b, scratch);
            };
          })};
}

}  // namespace

Candidate gru_kernel(const Recurrent& n) { return kernel<true>(n); }
Candidate lstm_kernel(const Recurrent& n) { return kernel<false>(n); }

}  // namespace webnn::inline v0_1::reference
