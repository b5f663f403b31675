#include "src/passes/written_out.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_factors = 3;  // none of the products that are recognized has more

void collect(const Graph& graph, const MLOperand& y, const std::vector<std::size_t>& readers,
             bool first, Factors& to) {
  if (to.others.size() > max_factors) return;
  if (const auto number = number_of(y)) {
    to.number *= *number;
    return;
  }
  if (first || readers[y.record().id] == 1) {
    if (const auto* mul = made_by<ops::mul>(graph, y)) {
      collect(graph, mul->a, readers, false, to);
      return collect(graph, mul->b, readers, false, to);
    }
    const auto* div = made_by<ops::div>(graph, y);
    if (const auto by = div ? number_of(div->b) : std::nullopt) {
      to.number /= *by;
      return collect(graph, div->a, readers, false, to);
    }
  }
  to.others.push_back(y);
}

}  // namespace

MLOperand Parts::take_reshapes(const MLOperand& y) {
  MLOperand x = y;
  while (const auto* op = take<ops::reshape>(x)) x = op->input;
  return x;
}

bool Parts::makes(const MLOperand& x) const {
  const OperandRecord& record = x.record();
  return record.kind == OperandKind::result &&
         std::find(places_.begin(), places_.end(), record.producer) != places_.end();
}

bool Parts::only_they_read() const {
  std::vector<std::size_t> places = places_;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::unordered_map<std::uint32_t, std::size_t> reads;
  for (const std::size_t i : places)
    for (const MLOperand& x : graph_.node(i).inputs()) ++reads[x.record().id];
  return std::all_of(places.begin(), places.end(), [&](std::size_t i) {
    const auto& outputs = data_of(graph_).nodes[i].outputs;
    return i == places_.front() || std::all_of(outputs.begin(), outputs.end(), [&](const auto& y) {
             return readers_[y.record().id] == reads[y.record().id];
           });
  });
}

std::vector<std::int64_t> indices_of(const MLOperand& x) {
  if (!x.constant()) return {};
  const std::span<const std::byte> bytes = x.constant()->bytes();
  const auto read = [&]<class T>(T) {
    std::vector<T> values(element_count(x.shape()));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  switch (x.dataType()) {
    case int64: return read(std::int64_t{});
    case int32: return read(std::int32_t{});
    case uint32: return read(std::uint32_t{});
    default: return {};
  }
}

bool is_about(double a, double b) { return std::abs(a - b) <= 0x1p-21 * std::abs(b); }

Factors factors_of(const Graph& graph, const MLOperand& y,
                   const std::vector<std::size_t>& readers) {
  Factors f;
  collect(graph, y, readers, true, f);
  return f;
}

std::optional<Affine> affine_of(const Graph& graph, const MLOperand& y,
                                const std::vector<std::size_t>& readers) {
  double term = 0;
  MLOperand product = y;
  if (const auto* add = made_by<ops::add>(graph, y)) {
    const auto a = number_of(add->a), b = number_of(add->b);
    if (!a == !b) return std::nullopt;
    term = a ? *a : *b;
    product = a ? add->b : add->a;
    if (readers[product.record().id] != 1) return Affine{product, 1, term};
  }
  const Factors f = factors_of(graph, product, readers);
  if (f.others.size() != 1) return std::nullopt;
  return Affine{f.others.front(), f.number, term};
}

}  // namespace webnn::inline v0_1
