// Nodes of which an input has no elements: their results have none either, or are known.
#include <limits>

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Operators that compute each element from those at its place.
constexpr std::string_view elementwise[] = {
    "Abs",     "Add",         "Ceil",      "Clip",  "Cos",        "Div",  "Elu",
    "Erf",     "Equal",       "Exp",       "Floor", "Greater",    "Gelu", "GreaterOrEqual",
    "Less",    "LessOrEqual", "LeakyRelu", "Log",   "Max",        "Min",  "Mod",
    "Mul",     "Neg",         "Not",       "Pow",   "Reciprocal", "Relu", "Round",
    "Sigmoid", "Sign",        "Sin",       "Sqrt",  "Sub",        "Tanh", "Trilu",
    "Where"};
constexpr std::string_view comparisons[] = {"Equal", "Greater",     "GreaterOrEqual",
                                            "Less",  "LessOrEqual", "Not"};

template <std::size_t n> bool is_one_of(std::string_view op, const std::string_view (&list)[n]) {
  return std::ranges::find(list, op) != std::end(list);
}

/// What both shapes are broadcast to; nothing where they do not fit.
std::optional<ops::Sizes> broadcast(const ops::Sizes& a, const ops::Sizes& b) {
  ops::Sizes shape(std::max(a.size(), b.size()));
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    const std::uint64_t m = back <= a.size() ? a[a.size() - back] : 1,
                        n = back <= b.size() ? b[b.size() - back] : 1;
    if (m != n && m != 1 && n != 1) return std::nullopt;
    shape[shape.size() - back] = m == 1 ? n : m;
  }
  return shape;
}

/// The result of a reduction of no elements.
std::optional<double> neutral(std::string_view op, MLOperandDataType type, bool boolean) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool floats = is_float(type);
  if (op == "ReduceSum" || op == "ReduceL1" || op == "ReduceL2" || op == "ReduceSumSquare")
    return 0;
  if (op == "ReduceProd") return 1;
  if ((op == "ReduceLogSum" || op == "ReduceLogSumExp") && floats) return -infinity;
  if (op == "ReduceMax") {
    if (floats) return -infinity;
    if (boolean || type == uint8) return 0;
    if (type == int8) return -128;
    if (type == int32) return std::numeric_limits<std::int32_t>::min();
  }
  if (op == "ReduceMin") {
    if (floats) return infinity;
    if (boolean) return 1;
    if (type == uint8) return 255;
    if (type == int8) return 127;
    if (type == int32) return std::numeric_limits<std::int32_t>::max();
  }
  return std::nullopt;
}

bool reduce(Call& c) {
  const ops::Sizes shape = c.shape(0);
  const MLOperandDataType type = c.type(0);
  const auto value = neutral(c.node().op_type, type, c.in(0).boolean);
  if (!value) return false;
  const bool keeps = c.integer("keepdims", 1) != 0;
  const bool none = c.integer("noop_with_empty_axes", 0) != 0;
  std::optional<Ints> axes = c.ints("axes");
  if (!axes && c.has(1)) axes = c.ints(1);
  if (none && (!axes || axes->empty())) return false;
  Dims reduced;
  if (axes && !axes->empty()) reduced = c.axes(*axes, shape.size());
  else
    for (std::uint32_t d = 0; d < shape.size(); ++d) reduced.push_back(d);
  ops::Sizes result;
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
    if (is_reduced && keeps) result.push_back(1);
    else if (!is_reduced) result.push_back(shape[d]);
  }
  if (std::ranges::find(result, 0u) != result.end()) {
    c.set(0, {.boolean = c.in(0).boolean, .empty = result, .type = type});
    return true;
  }
  Dims dims;
  for (const std::uint64_t size : result)
    dims.push_back(c.dimension(static_cast<std::int64_t>(size)));
  const std::uint64_t count = element_count(dims);
  c.spend(count * 8);
  const MLOperand y =
      is_float(type) ? c.floats(type, dims, std::vector<float>(count, static_cast<float>(*value)))
                     : c.integers(type, dims, Ints(count, static_cast<std::int64_t>(*value)));
  c.put_like(0, y);
  return true;
}

}  // namespace

bool import_without_elements(Call& c) {
  const std::string_view op = c.node().op_type;
  bool none = false;
  for (std::size_t i = 0; i < c.inputs(); ++i) none = none || (c.has(i) && c.empty(i));
  if (!none || !c.node().domain.empty()) return false;
  if (op.starts_with("Reduce")) return c.empty(0) && reduce(c);
  if (!is_one_of(op, elementwise)) return false;
  ops::Sizes shape;
  const std::size_t operands = op == "Clip" || op == "Trilu" ? 1 : c.inputs();
  for (std::size_t i = 0; i < operands; ++i) {
    if (!c.has(i)) continue;
    if (c.in(i).sequence || (!c.empty(i) && c.x(i).is_open())) return false;
    auto next = broadcast(shape, c.shape(i));
    if (!next) return false;
    shape = std::move(*next);
  }
  if (std::ranges::find(shape, 0u) == shape.end()) return false;
  const bool boolean = is_one_of(op, comparisons);
  const std::size_t like = op == "Where" ? 1 : 0;
  for (const Attribute& a : c.node().attributes) c.ignore(a.name);
  c.set(0, {.boolean = boolean || c.in(like).boolean,
            .empty = std::move(shape),
            .type = boolean ? uint8 : c.type(like)});
  return true;
}

}  // namespace webnn::inline v0_1::onnx
