#include "src/formats/onnx/import/padded.h"

#include <algorithm>

namespace webnn::inline v0_1::onnx {
namespace {

/// Operators of which each element of the result follows from those at its place.
constexpr std::string_view elementwise[] = {
    "Abs",         "Add",      "And",   "BitwiseAnd", "BitwiseNot", "BitwiseOr",
    "BitwiseXor",  "Cast",     "Ceil",  "Clip",       "Cos",        "Div",
    "Equal",       "Erf",      "Exp",   "Floor",      "Greater",    "GreaterOrEqual",
    "HardSigmoid", "Identity", "IsInf", "IsNaN",      "LeakyRelu",  "Less",
    "LessOrEqual", "Log",      "Max",   "Min",        "Mod",        "Mul",
    "Neg",         "Not",      "Or",    "Pow",        "Reciprocal", "Relu",
    "Round",       "Sigmoid",  "Sign",  "Sin",        "Softplus",   "Sqrt",
    "Sub",         "Sum",      "Tanh",  "Where",      "Xor"};
constexpr std::string_view reductions[] = {
    "ArgMax",    "ArgMin",     "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",    "ReduceSumSquare"};

template <std::size_t N> bool is_in(const std::string_view (&list)[N], std::string_view name) {
  return std::ranges::binary_search(list, name);
}

/// The axis of a result along which the rows of an input lie; nothing if it is none.
using Axis = std::optional<std::uint32_t>;

/// One node, of which some inputs have rows behind a count.
class Follower {
 public:
  explicit Follower(const Call& call)
      : node_(call.node()), c_(call.scope(), call.node(), call.version()) {}

  /// The axis of the results.
  Axis axis() {
    const std::string_view op = node_.op_type;
    if (!node_.domain.empty() || c_.scope().is_inner() || !same_origin()) return {};
    if (is_in(elementwise, op)) return of_elements();
    if (is_in(reductions, op)) return of_reduction();
    if (op == "Gather" || op == "GatherND") return of_gather();
    if (op == "RoiAlign") return !input(0) && at(1, 0) && at(2, 0) ? Axis(0) : Axis();
    if (op == "Concat") return of_concat();
    const Padded* p = input(0);
    if (!p || others_than(0)) return {};
    if (op == "Transpose") return of_transpose(*p);
    if (op == "Slice") return of_slice(*p);
    if (op == "Split" || op == "Softmax")
      return c_.axis(c_.integer("axis", op == "Split" ? 0 : -1), c_.x().rank()) == p->axis
                 ? Axis()
                 : Axis(p->axis);
    if (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten")
      return of_shape(*p);
    return {};
  }

  /// That of the first input that has rows behind a count; null if none has.
  const Padded* first() const {
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (const Padded* p = input(i)) return p;
    return nullptr;
  }
  /// Whether the rows are indices of the elements that the results have.
  bool gathers() const { return node_.op_type.starts_with("Gather") && input(1); }

 private:
  const Padded* input(std::size_t i) const {
    if (i >= node_.inputs.size() || node_.inputs[i].empty()) return nullptr;
    const Value* v = c_.scope().find(node_.inputs[i]);
    return v && v->padded ? &*v->padded : nullptr;
  }
  bool at(std::size_t i, std::uint32_t axis) const { return input(i) && input(i)->axis == axis; }
  bool others_than(std::size_t place) const {
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (i != place && input(i)) return true;
    return false;
  }
  bool same_origin() const {
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (const Padded* p = input(i); p && p->origin != first()->origin) return false;
    return true;
  }

  /// Inputs are broadcast: from the end.
  Axis of_elements() const {
    std::optional<std::size_t> from_end;
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      if (!c_.has(i)) continue;
      rank = std::max(rank, c_.x(i).rank());
      const Padded* p = input(i);
      if (!p) continue;
      const std::size_t place = c_.x(i).rank() - p->axis;
      if (from_end && from_end != place) return {};
      from_end = place;
    }
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      if (!c_.has(i) || input(i) || c_.x(i).rank() < *from_end) continue;
      const auto axis = static_cast<std::uint32_t>(c_.x(i).rank() - *from_end);
      if (!Size::dimension(c_.x(i), axis).is(1)) return {};
    }
    return static_cast<std::uint32_t>(rank - *from_end);
  }
  Axis of_reduction() {
    const Padded* p = input(0);
    const std::uint32_t rank = c_.x().rank();
    Ints axes;
    if (node_.op_type.starts_with("Arg")) axes = {c_.integer("axis", 0)};
    else if (c_.has(1)) axes = c_.ints(1);
    else axes = c_.ints("axes").value_or(Ints());
    if (!p || axes.empty() || others_than(0)) return {};
    std::uint32_t before = 0;
    for (const std::uint32_t axis : c_.axes(axes, rank)) {
      if (axis == p->axis) return {};
      before += axis < p->axis;
    }
    return c_.integer("keepdims", 1) != 0 ? p->axis : p->axis - before;
  }
  Axis of_gather() {
    const Padded *data = input(0), *indices = input(1);
    if (data && indices) return {};
    if (node_.op_type == "GatherND") {
      if (!indices || c_.integer("batch_dims", 0) != 0) return {};
      return indices->axis + 1 < c_.x(1).rank() ? Axis(indices->axis) : Axis();
    }
    const std::uint32_t axis = c_.axis(c_.integer("axis", 0), c_.x().rank());
    if (indices) return axis + indices->axis;
    if (data->axis == axis) return {};
    return data->axis < axis ? data->axis : data->axis + c_.x(1).rank() - 1;
  }
  Axis of_concat() {
    const std::uint32_t axis = first()->axis;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (!at(i, axis)) return {};
    return c_.axis(c_.integer("axis", 0), c_.x().rank()) == axis ? Axis() : Axis(axis);
  }
  Axis of_transpose(const Padded& p) {
    const std::uint32_t rank = c_.x().rank();
    const auto order = c_.ints("perm");
    if (!order) return rank - 1 - p.axis;
    for (std::uint32_t i = 0; i < rank; ++i)
      if ((*order)[i] == p.axis) return i;
    return {};
  }
  /// A part that has all rows, in their order.
  Axis of_slice(const Padded& p) {
    const MLOperand* y = result();
    if (!y || !Size::dimension(*y, p.axis).same_as(Size::dimension(c_.x(), p.axis))) return {};
    if (c_.version() >= 10 && c_.has(4))
      for (const std::int64_t step : c_.ints(4))
        if (step < 1) return {};
    return p.axis;
  }
  /// Where the dimension is in another shape of the same elements.
  Axis of_shape(const Padded& p) const {
    const MLOperand* y = result();
    if (!y) return {};
    const SizeList from = formats::sizes_of(c_.x()), to = formats::sizes_of(*y);
    const Size rows = from[p.axis];
    if (formats::are_known(from) && formats::are_known(to)) {
      const auto before = [](const SizeList& sizes, std::size_t n) {
        std::int64_t all = 1;
        for (std::size_t i = 0; i < n; ++i) all *= sizes[i].number();
        return all;
      };
      for (std::uint32_t i = 0; i < to.size(); ++i)
        if (to[i].is(rows.number()) && before(to, i) == before(from, p.axis)) return i;
      return {};
    }
    // Dimensions of 1 come and go.
    std::vector<std::uint32_t> left, right;
    for (std::uint32_t i = 0; i < from.size(); ++i)
      if (i == p.axis || !from[i].is(1)) left.push_back(i);
    for (std::uint32_t i = 0; i < to.size(); ++i)
      if (!to[i].is(1)) right.push_back(i);
    if (left.size() != right.size()) return {};
    Axis found;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!from[left[i]].same_as(to[right[i]])) return {};
      if (left[i] == p.axis) found = right[i];
    }
    return found;
  }

  const MLOperand* result() const {
    const Value* v = c_.scope().find(node_.outputs[0]);
    return v && v->x ? &v->x : nullptr;
  }

  const Node& node_;
  Call c_;
};

[[noreturn]] void refuse_rows(const Call& c, const Padded& p) {
  c.unsupported(
      fail("it reads rows of {}, of which only some are selected; their number follows from data",
           in_quotes(p.origin)));
}

/// y with 0 in the rows behind the count.
MLOperand cleared(const Call& c, const MLOperand& y, const Padded& p) {
  SizeList shape(y.rank(), 1);
  shape[p.axis] = Size::dimension(y, p.axis);
  return c.b.where(c.reshaped(p.mask, shape), y, c.scalar_like(y, 0));
}

}  // namespace

bool inputs_can_be_known(const Call& c) {
  for (std::size_t i = 0; i < c.inputs(); ++i)
    if (c.has(i) && !c.can_be_known(i)) return false;
  return true;
}

void put_counted(Call& c, const MLOperand& y, std::uint32_t axis, const MLOperand& count,
                 std::size_t i) {
  if (inputs_can_be_known(c)) {
    bool known = true;
    for (std::size_t k = 0; k < c.inputs(); ++k) known = known && (!c.has(k) || c.is_known(k));
    // Raises NeedsInput when the inputs are given, but were not used yet.
    if (!known) c.known(count, "the count of its results");
    if (const auto k = formats::folded(count, c.b)) {
      const auto n = *reinterpret_cast<const std::int64_t*>(k->constant()->bytes().data());
      if (n > 0) return c.put(c.sliced(y, axis, 0, n), i);
      ops::Sizes sizes(y.shape().begin(), y.shape().end());
      sizes[axis] = 0;
      return c.put_empty(sizes, y.dataType(), i);
    }
  }
  if (c.scope().is_inner())
    c.unsupported(
        "the number of rows that it selects follows from data, inside of a branch or a loop");
  const Size rows = Size::dimension(y, axis);
  const MLOperand mask = c.b.lesser(c.numbers(int64, {rows}, rows), c.reshaped(count, {1}));
  c.set(i, {.x = y, .padded = Padded{axis, c.node().outputs[i], mask}});
}

void follow_padding(const Call& c) {
  Follower follower(c);
  const Padded* p = follower.first();
  if (!p) return;
  const Axis axis = follower.axis();
  if (!axis) refuse_rows(c, *p);
  const Padded padded{*axis, p->origin, p->mask};
  for (std::string_view output : c.node().outputs) {
    Value* v = output.empty() ? nullptr : c.scope().find(output);
    if (!v || !v->x) continue;
    v->padded = padded;
    if (follower.gathers()) v->x = cleared(c, v->x, padded);
  }
}

void refuse_padded(const Call& c) {
  if (const Padded* p = Follower(c).first()) refuse_rows(c, *p);
}

}  // namespace webnn::inline v0_1::onnx
