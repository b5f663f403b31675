#include "tests/random/generator.h"

#include <cmath>
#include <limits>

#include "tests/support/tolerance.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr std::size_t operators = ops::AllOps::size;

constexpr auto generators = []<class... Op>(ops::OpList<Op...>) {
  return std::array<void (*)(Generator&), sizeof...(Op)>{[](Generator& g) {
    Families::with_family_of<Op>(
        [&](auto family) { generate(g, family, ops::AllOps::index_of<Op>()); });
  }...};
}(ops::AllOps{});

int bits_for(Interval values) {
  const double most = std::max(std::abs(values.low), std::abs(values.high));
  int bits = 0;
  while (bits < 128 && std::ldexp(1.0, bits) < most) ++bits;
  return bits;
}

/// A shape of as many elements in another number of dimensions: merges neighbors, adds ones.
Dims with_rank(Dims shape, std::uint32_t rank, Random& random) {
  const auto place = [&](std::size_t most) {
    return random.integer(0, static_cast<std::uint32_t>(most));
  };
  while (shape.size() > rank) {
    if (shape.size() == 1) return {};
    const std::uint32_t d = place(shape.size() - 2);
    shape[d] *= shape[d + 1];
    shape.erase(shape.begin() + d + 1);
  }
  while (shape.size() < rank) {
    const std::uint32_t d = place(shape.size());
    std::uint32_t part = 1;
    if (d < shape.size())
      for (std::uint32_t p : {2u, 3u, 5u})
        if (shape[d] % p == 0 && shape[d] > p) part = p;
    if (part > 1) shape[d] /= part;
    shape.insert(shape.begin() + d, part);
  }
  return shape;
}

}  // namespace

Generator::Generator(const MLGraphBuilder& builder, std::uint64_t seed, Operands operands)
    : operands_(operands), builder_(builder), random_(seed) {
  if (chance(0.3)) floats_ = chance(0.35) ? bfloat16 : float16;
  wild_ = chance(0.12);
  if (chance(0.03)) most_elements_ = 3000;
  else if (chance(0.2)) most_elements_ = 300;
  if (operands_ == Operands::wide) most_elements_ = 3000;
}

Dims Generator::permutation(std::uint32_t rank) {
  Dims order;
  for (std::uint32_t d = 0; d < rank; ++d)
    order.insert(order.begin() + between(0, static_cast<std::uint32_t>(order.size())), d);
  return order;
}

Dims Generator::axes(std::uint32_t rank, std::uint32_t at_least) {
  Dims all = permutation(rank);
  all.resize(between(std::min(at_least, rank), rank));
  return all;
}

MLOperandDataType Generator::type_in(DataTypes types) {
  if (types.contains(floats_) && chance(0.75)) return floats_;
  std::vector<MLOperandDataType> all;
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
    if (types.contains(static_cast<MLOperandDataType>(i)))
      all.push_back(static_cast<MLOperandDataType>(i));
  return one_of(all);
}

std::uint32_t Generator::dimension() {
  if (chance(0.2)) return 1;
  if (chance(0.12)) return one_of({7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u});
  return between(2, 5);
}

Dims Generator::shape(ops::Ranks ranks) {
  const std::uint32_t most = std::min(ranks.max, 6u);
  std::uint32_t rank = between(ranks.min, most);
  if (rank > 4 && chance(0.5)) rank = std::max(ranks.min, rank - 2);
  Dims shape;
  for (std::uint32_t d = 0; d < rank; ++d) shape.push_back(dimension());
  while (element_count(shape) > most_elements_) {
    std::uint32_t& d = shape[between(0, rank - 1)];
    d = (d + 1) / 2;
  }
  return shape;
}

const Generator::Known* Generator::choose(DataTypes types) {
  for (int tries = 0; tries < 6 && !known_.empty(); ++tries) {
    const auto last = static_cast<std::uint32_t>(known_.size()) - 1;
    const Known& k = known_[chance(0.5) ? last - between(0, std::min(last, 3u)) : between(0, last)];
    if (types.contains(k.x.dataType()) && element_count(k.x.shape()) <= most_elements_) return &k;
  }
  return nullptr;
}

MLOperand Generator::reshaped(const MLOperand& x, ops::Ranks ranks) {
  const std::uint32_t rank = between(ranks.min, std::max(ranks.min, std::min(ranks.max, 4u)));
  const Dims shape = with_rank(x.shape(), rank, random_);
  if (element_count(shape) != element_count(x.shape())) return {};
  return append(ops::reshape{x, shape});
}

MLOperand Generator::any(DataTypes types, ops::Ranks ranks) {
  const Known* k = chance(0.8) ? choose(types) : nullptr;
  if (k && k->x.rank() >= ranks.min && k->x.rank() <= ranks.max) return k->x;
  if (k && types::any.contains(k->x.dataType()))
    if (const MLOperand y = reshaped(MLOperand(k->x), ranks)) return y;
  return leaf(type_in(types), shape(ranks));
}

MLOperand Generator::exact(DataTypes types, ops::Ranks ranks) {
  const bool strict = chance(0.85);
  for (int tries = 0; tries < 4; ++tries) {
    const MLOperand x = any(types, ranks);
    if (!strict || is_exact(x)) return x;
  }
  return leaf(type_in(types), shape(ranks));
}

MLOperand Generator::limited(DataTypes types, int bits, ops::Ranks ranks) {
  return tamed(any(types, ranks), bits);
}

MLOperand Generator::like(MLOperandDataType type, const Dims& shape, Interval values) {
  if (chance(0.6))
    for (std::size_t i = known_.size(); i-- > 0;) {
      const MLOperand x = known_[i].x;
      if (x.dataType() != type || chance(0.3)) continue;
      if (x.shape() == shape) return x;
      if (types::any.contains(type) && element_count(x.shape()) == element_count(shape) &&
          chance(0.5))
        return append(ops::reshape{x, shape});
    }
  return leaf(type, shape, values);
}

MLOperand Generator::weight(MLOperandDataType type, const Dims& shape, Interval values) {
  if (chance(0.8)) return constant(tensor(type, shape, values));
  return like(type, shape, values);
}

MLOperand Generator::beside(const MLOperand& x, bool exactly) {
  const auto suits = [&](const MLOperand& y) {
    if (y.dataType() != x.dataType() || (exactly && !is_exact(y))) return false;
    Dims shape(std::max(x.rank(), y.rank()), 1);
    for (const MLOperand& z : {x, y})
      for (std::size_t d = 0; d < z.rank(); ++d) {
        std::uint32_t& s = shape[shape.size() - z.rank() + d];
        if (s != 1 && z.shape()[d] != 1 && s != z.shape()[d]) return false;
        s = std::max(s, z.shape()[d]);
      }
    return element_count(shape) <= 2 * most_elements_;
  };
  if (chance(0.6))
    for (int tries = 0; tries < 6; ++tries) {
      const MLOperand& y = one_of(known_).x;
      if (suits(y)) return y;
    }
  Dims shape = chance(0.3) ? x.shape() : random_.broadcastable(x.shape());
  if (shape.size() == x.rank() && shape.size() < 5 && chance(0.15) &&
      element_count(shape) * 2 <= most_elements_)
    shape.insert(shape.begin(), between(1, 2));
  if (shape.size() > x.rank() || chance(0.15))
    for (std::size_t d = 0; d < std::min<std::size_t>(shape.size(), x.rank()); ++d)
      if (shape.end()[-1 - static_cast<std::ptrdiff_t>(d)] == 1 &&
          x.shape().end()[-1 - static_cast<std::ptrdiff_t>(d)] == 1 && chance(0.3))
        shape.end()[-1 - static_cast<std::ptrdiff_t>(d)] = between(1, 3);
  return leaf(x.dataType(), shape);
}

std::pair<MLOperand, MLOperand> Generator::pair(DataTypes types, bool exactly) {
  const MLOperand x = exactly ? exact(types) : any(types);
  const MLOperand y = chance(0.06) ? x : beside(x, exactly && chance(0.85));
  return chance(0.5) ? std::pair(x, y) : std::pair(y, x);
}

double Generator::special(MLOperandDataType type) {
  if (!is_float(type)) return chance(0.5) ? lowest_of(type) : highest_of(type);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (between(0, 8)) {
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return infinity;
    case 2: return -infinity;
    case 3: return -0.0;
    case 4:
      return type == float16      ? 0x1p-24
             : type == bfloat16   ? 0x1p-133
             : type == float8e4m3 ? 0x1p-9
                                  : 0x1p-149;
    case 5: return type == float16 ? -0x1.8p-15 : type == float8e4m3 ? -0x1.8p-8 : -0x1.8p-127;
    case 6: return highest_of(type);
    case 7: return type == float16 ? -1e4 : -1e30;  // -448 in float8e4m3
    default: return 0;
  }
}

Tensor Generator::tensor(MLOperandDataType type, const Dims& shape, Interval values) {
  Tensor t = random_.tensor(type, shape, values.low, values.high);
  const bool coarse = is_float(type) && chance(0.3);  // sums are exact, and ties happen
  const bool wild = wild_ && chance(0.5);
  if (!coarse && !wild) return t;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (coarse) {
      const double v = std::floor(t[i] * 4) / 4;
      if (v >= values.low) t.set(i, v);
    }
    // The extremes of 64 bits are not doubles.
    if (wild && bits_of(type) < 64 && chance(0.15)) t.set(i, special(type));
  }
  return t;
}

std::string Generator::new_name() {
  std::string name = "x" + std::to_string(inputs_.size());
  if (chance(0.01)) name += "/\xc3\xa9 \"\\:0";
  return name;
}

MLOperand Generator::input(const Tensor& values) {
  const std::string name = new_name();
  inputs_[name] = values;
  const MLOperand x = builder_.input(name, values.descriptor());
  know(x, {});
  return x;
}

MLOperand Generator::constant(const Tensor& values) {
  const MLOperand x = builder_.constant(values.descriptor(), values.bytes);
  know(x, {});
  return x;
}

MLOperand Generator::leaf(MLOperandDataType type, const Dims& shape, Interval values) {
  const Tensor t = tensor(type, shape, values);
  const MLOperand x = chance(0.35) ? constant(t) : input(t);
  known_[places_.at(&x.record())].bits = bits_for(values);
  return x;
}

void Generator::know(const MLOperand& x, Known known) {
  known.x = x;
  places_[&x.record()] = known_.size();
  known_.push_back(known);
}

const Generator::Known* Generator::known(const MLOperand& x) const {
  const auto it = places_.find(&x.record());
  return it == places_.end() ? nullptr : &known_[it->second];
}
void Generator::mark_read(const MLOperand& x) {
  if (const auto it = places_.find(&x.record()); it != places_.end())
    known_[it->second].read = true;
}
int Generator::magnitude(const MLOperand& x) const {
  const Known* k = known(x);
  return k ? k->bits : 2;
}
bool Generator::is_exact(const MLOperand& x) const {
  const Known* k = known(x);
  return !k || k->exact;
}

bool Generator::rounds_nothing(std::string_view op) {
  if (op == "resample2d") return false;
  const Tolerance t = tolerance_of(op, float32, 4);
  return t.ulp == 0 && t.absolute == 0 && op != "quantizeLinear";
}

MLOperand Generator::tamed(const MLOperand& x, int bits) {
  if (magnitude(x) <= bits || !is_float(x.dataType())) return x;
  const double most = std::ldexp(1.0, bits);
  switch (between(0, 5)) {
    case 0: return append(ops::clamp{x, {.minValue = -most, .maxValue = most}}, bits);
    case 1: return append(ops::tanh{x}, 0);
    case 2: return append(ops::softsign{x}, 0);
    default: {
      const double factor = std::ldexp(1.0, std::max(bits - magnitude(x), -14));
      return append(ops::mul{x, constant(filled(x.dataType(), {}, factor))}, bits);
    }
  }
}

void Generator::add(std::size_t kind) { generators[kind](*this); }

RandomGraph Generator::run() {
  std::uint32_t count = chance(0.3) ? between(1, 3) : chance(0.75) ? between(3, 9) : between(9, 20);
  const bool quantized = chance(0.15);
  if (operands_ == Operands::wide) count = between(1, 6);
  while (count-- > 0) {
    if (operands_ == Operands::wide && chance(0.6)) generate_wide(*this);
    else if (quantized && chance(0.7)) generate_quantized(*this);
    else if (chance(0.15)) generate_pattern(*this);
    else add(between(0, operators - 1));
  }
  return finish();
}

RandomGraph Generator::run_one(std::size_t kind) {
  add(kind);
  return finish();
}

RandomGraph Generator::finish() {
  if (!known_.empty() && chance(0.02)) {
    const MLOperand x = one_of(known_).x;
    if (types::any.contains(x.dataType())) append(ops::identity{x});
  }
  std::vector<MLOperand> ends, others;
  for (const Known& k : known_)
    if (k.x.record().kind == OperandKind::result) (k.read ? others : ends).push_back(k.x);
  RandomGraph graph;
  const auto output = [&](const MLOperand& x) {
    std::string name = "y" + std::to_string(graph.outputs.size());
    if (chance(0.01)) name += " \xe2\x82\xac'%s";
    graph.outputs.insert(
        graph.outputs.begin() + between(0, static_cast<std::uint32_t>(graph.outputs.size())),
        {name, x});
  };
  for (const MLOperand& x : ends)
    if (graph.outputs.size() < 8 && chance(0.85)) output(x);
  for (const MLOperand& x : others)
    if (graph.outputs.size() < 8 && chance(0.07)) output(x);
  if (graph.outputs.empty() && !ends.empty()) output(ends.back());
  if (graph.outputs.empty()) output(append(ops::identity{any(types::any)}));
  if (chance(0.03)) output(one_of(graph.outputs).operand);
  graph.inputs = std::move(inputs_);
  return graph;
}

RandomGraph random_graph(const MLGraphBuilder& builder, std::uint64_t seed, Operands operands) {
  return Generator(builder, seed, operands).run();
}
RandomGraph random_operator(const MLGraphBuilder& builder, std::size_t kind, std::uint64_t seed) {
  return Generator(builder, seed).run_one(kind);
}

}  // namespace webnn::inline v0_1::test
