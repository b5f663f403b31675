// Loops at known sizes: they are unrolled.
#include <cstring>

#include "src/builder/sized_graph.h"
#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::int64_t max_iterations = 65'536;
// Operators of all iterations of a graph, and of one at which sizes are tried.
constexpr std::size_t max_unrolled = 262'144, max_tried = SizedGraph::max_tried_unrolled;
constexpr std::uint64_t few = 64;  // elements of a value that may say a shape

template <class T> std::int64_t first_of(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<std::int64_t>(value);
}

bool is_alike(const std::vector<MLOperand>& a, const std::vector<MLOperand>& b) {
  return std::ranges::equal(a, b, [](const MLOperand& x, const MLOperand& y) {
    return x.record().descriptor == y.record().descriptor;
  });
}

/// Whether shapes may follow from a state.
bool may_say_shapes(const MLOperand& x) {
  const MLOperandDescriptor& d = x.record().descriptor;
  return types::sizes.contains(d.dataType) && element_count(d.shape) <= few;
}

}  // namespace

/// An input, whose values are not known.
MLOperand SizedGraph::add_unknown(MLOperandDescriptor descriptor) {
  return data_->add(
      {.descriptor = std::move(descriptor), .kind = OperandKind::input, .name = "the loop"});
}

/// The only element of what follows from shapes and constants.
Result<std::int64_t> SizedGraph::integer_of(const MLOperand& sized, std::string_view row) {
  auto known = values_.constant(sized, row);
  if (!known) return known.failure();
  const MLOperandDescriptor& d = known->record().descriptor;
  if (element_count(d.shape) != 1) return fail("{} has shape {}, not one element", row, d.shape);
  const auto bytes = known->constant()->bytes();
  switch (d.dataType) {
    case int32: return first_of<std::int32_t>(bytes);
    case int64: return first_of<std::int64_t>(bytes);
    case uint8: return first_of<std::uint8_t>(bytes);
    default: return fail("{} is {}, not int32, int64 or uint8", row, d.dataType);
  }
}

/// While a body is recorded: the first iteration, or other sizes along the axes.
Result<SizedGraph::Results> SizedGraph::add_placeholder(const control::placeholder& op,
                                                        Local local) {
  const MLOperand x = at(op.input, local);
  if (op.axes.empty()) return Results{x};
  MLOperandDescriptor d = x.record().descriptor;
  const std::uint32_t more = sizes_.empty() ? 1 : 1 + sizes_.front() % few;
  for (const std::uint32_t axis : op.axes)
    if (axis < d.shape.size()) d.shape[axis] += more;
  if (auto bad = check_dimensions("the state", d.dataType, shape::sizes(d.shape))) return *bad;
  return Results{add_unknown(std::move(d))};
}

Result<SizedGraph::Results> SizedGraph::add_iteration(const control::loop& op,
                                                      std::int64_t iteration,
                                                      const std::vector<MLOperand>& states,
                                                      const std::vector<MLOperand>& shared) {
  const GraphData& body = op.body.graph();
  unrolled_ += body.nodes.size() + 1;
  const std::size_t most = shapes_alone_ ? max_tried : max_unrolled;
  if (unrolled_ > most)
    return fail("there are more than {} operators when loops are unrolled", most);
  std::vector<MLOperand> inputs{
      data_->add({.descriptor = {int64, {}},
                  .kind = OperandKind::constant,
                  .constant = Constant::copy_of(std::as_bytes(std::span(&iteration, 1)))})};
  inputs.insert(inputs.end(), states.begin(), states.end());
  inputs.insert(inputs.end(), shared.begin(), shared.end());
  std::vector<MLOperand> local(body.operands.size());
  NamedSizes derived;
  const auto set = [&](const MLOperand& x, const MLOperand& sized) -> shape::Check {
    if (sized.record().descriptor.dataType != x.record().descriptor.dataType)
      return fail("a state is {}, but was {} before", sized.record().descriptor.dataType,
                  x.record().descriptor.dataType);
    local[x.record().id] = sized;
    return open_.relies_on_known_sizes ? check_known(x, sized, derived) : shape::Check();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (auto bad = set(body.inputs[i].operand, inputs[i])) return *bad;
  for (const NodeData& node : body.nodes) {
    auto results = add(node.op, &local);
    shape::Check bad;
    if (!results) bad = results.failure();
    else if (results->size() != node.outputs.size()) bad = fail("it has other results");
    for (std::size_t i = 0; !bad && i < node.outputs.size(); ++i)
      bad = set(node.outputs[i], (*results)[i]);
    if (bad)
      return Failure{name_and_label(name_of_kind(node.op.kind()),
                                    label_of_kind(node.op.kind(), node.op.get())) +
                         ": " + bad->message,
                     bad->name};
  }
  Results made;
  for (const auto& [name, y] : body.outputs) made.push_back(local[y.record().id]);
  return made;
}

Result<SizedGraph::Results> SizedGraph::add_loop(const control::loop& op, Local local) {
  if (auto bad = control::check_numbers(op, op.body ? op.body.states() + op.body.sequences() : 0))
    return *bad;
  Results given;
  for (const MLOperand& x : op.inputs) given.push_back(at(x, local));
  const auto trips = integer_of(given[0], "the number of iterations");
  if (!trips) return trips.failure();
  auto going = integer_of(given[1], "the condition");
  if (!going) return going.failure();
  const auto first = given.begin() + 2, behind = first + op.body.states();
  Results states(first, behind), shared(behind, given.end());
  const bool alone =
      shapes_alone_ && !op.body.has_condition() && std::ranges::none_of(states, may_say_shapes);
  std::vector<Results> sequences(op.body.sequences());
  std::int64_t n = 0;
  for (bool whole = false; *going && n < *trips && !whole; ++n) {
    if (n == max_iterations) return fail("it has more than {} iterations", max_iterations);
    auto made = add_iteration(op, n, states, shared);
    if (!made)
      return Failure{"iteration " + std::to_string(n) + ": " + made.failure().message,
                     made.failure().name};
    Results next(made->begin(), made->begin() + op.body.states());
    for (std::size_t k = 0; k < sequences.size(); ++k)
      sequences[k].push_back((*made)[next.size() + k]);
    if (op.body.has_condition()) going = integer_of(made->back(), "the condition");
    if (!going) return going.failure();
    whole = alone && is_alike(states, next);
    states = std::move(next);
    if (!whole || *trips == 1) continue;
    // All other iterations have these shapes.
    if (*trips > max_iterations) return fail("it has more than {} iterations", max_iterations);
    for (MLOperand& x : states) x = add_unknown(x.record().descriptor);
    for (Results& all : sequences) {
      MLOperandDescriptor d = all.front().record().descriptor;
      ops::Sizes sizes(d.shape.begin(), d.shape.end());
      if (sizes.empty()) return fail("the elements of a sequence are scalars");
      sizes[0] *= static_cast<std::uint64_t>(*trips);
      if (auto bad = check_dimensions("a sequence", d.dataType, sizes)) return *bad;
      d.shape[0] = static_cast<std::uint32_t>(sizes[0]);
      all = {add_unknown(std::move(d))};
    }
  }
  for (const Results& all : sequences) {
    if (all.empty()) return fail("it has no iterations, and its results no elements");
    if (all.size() == 1) {
      states.push_back(all.front());
      continue;
    }
    auto joined = add_sized(Op::of(ops::concat{all, 0, {op.options.label}}));
    if (!joined) return joined.failure();
    states.push_back(joined->front());
  }
  return states;
}

}  // namespace webnn::inline v0_1
