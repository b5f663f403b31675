#include "src/formats/onnx/import/linear_size.h"

#include <cstring>

#include "src/builder/builder_state.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr int max_steps_of_sizes = 512;
constexpr std::int64_t largest = std::int64_t{1} << 40;  // sums of a few do not overflow

using Found = std::optional<LinearSize>;

/// `steps`: how many operators it may still visit.
Found element_of(const MLOperand& x, std::uint64_t i, int& steps);

Found number_in(const Constant& c, MLOperandDataType type, std::uint64_t i) {
  const auto bytes = c.bytes();
  const auto read = [&]<class T>(T v) -> Found {
    if ((i + 1) * sizeof v > bytes.size()) return std::nullopt;
    std::memcpy(&v, &bytes[i * sizeof v], sizeof v);
    const auto n = static_cast<std::int64_t>(v);
    return n >= -largest && n <= largest ? Found(LinearSize{n, {}}) : std::nullopt;
  };
  if (type == int64) return read(std::int64_t{});
  if (type == int32) return read(std::int32_t{});
  if (type == uint32) return read(std::uint32_t{});
  return std::nullopt;
}

bool has_one_element(const MLOperand& x) { return !x.is_open() && element_count(x.shape()) == 1; }

Found sum(const MLOperand& a, const MLOperand& b, std::uint64_t i, int& steps, std::int64_t sign) {
  Found left = element_of(a, has_one_element(a) ? 0 : i, steps);
  const Found right = element_of(b, has_one_element(b) ? 0 : i, steps);
  const bool fits = has_one_element(a) || has_one_element(b) ||
                    (!a.is_open() && !b.is_open() && a.shape() == b.shape());
  if (!left || !right || !fits) return std::nullopt;
  return left->add(*right, sign);
}

/// The list of which element i is asked for, along its only dimension.
Found joined(const std::vector<MLOperand>& parts, std::uint64_t i, int& steps) {
  for (const MLOperand& part : parts) {
    if (part.is_open() || part.rank() != 1) return std::nullopt;
    if (i < part.shape()[0]) return element_of(part, i, steps);
    i -= part.shape()[0];
  }
  return std::nullopt;
}

/// The sum of as many ones as a dimension has.
Found count(const ops::reduceSum& op, const GraphData& data, int& steps) {
  if (!op.options.axes || op.options.axes->size() != 1) return std::nullopt;
  if (op.input.record().kind != OperandKind::result) return std::nullopt;
  const NodeData& node = data.nodes[op.input.record().producer];
  const auto* expand = node.op.as<ops::expandDynamic>();
  if (!expand || !has_one_element(expand->input)) return std::nullopt;
  const Found one = element_of(expand->input, 0, steps);
  if (!one || *one != LinearSize{1, {}}) return std::nullopt;
  return element_of(expand->newShape, (*op.options.axes)[0], steps);
}

Found element_of(const MLOperand& x, std::uint64_t i, int& steps) {
  if (--steps < 0) return std::nullopt;
  if (const auto constant = x.constant()) return number_in(*constant, x.dataType(), i);
  if (x.record().kind != OperandKind::result) return std::nullopt;
  const GraphData& data = *owner_of(x);
  const NodeData& node = data.nodes[x.record().producer];
  if (const auto* op = node.op.as<ops::dimension>()) {
    const auto d = op->input.dimensions();
    return d && op->axis < d->size() ? Found(linear_size((*d)[op->axis])) : std::nullopt;
  }
  if (const auto* op = node.op.as<ops::shapeOf>()) {
    const auto d = op->input.dimensions();
    return d && i < d->size() ? Found(linear_size((*d)[i])) : std::nullopt;
  }
  if (const auto* op = node.op.as<ops::cast>()) {
    const bool holds_sizes =
        op->dataType == int64 || op->dataType == int32 || op->dataType == uint32;
    return holds_sizes ? element_of(op->input, i, steps) : std::nullopt;
  }
  if (const auto* op = node.op.as<ops::add>()) return sum(op->a, op->b, i, steps, 1);
  if (const auto* op = node.op.as<ops::sub>()) return sum(op->a, op->b, i, steps, -1);
  if (const auto* op = node.op.as<ops::reshape>()) return element_of(op->input, i, steps);
  if (const auto* op = node.op.as<ops::identity>()) return element_of(op->input, i, steps);
  if (const auto* op = node.op.as<ops::squeeze>()) return element_of(op->input, i, steps);
  if (const auto* op = node.op.as<ops::unsqueeze>()) return element_of(op->input, i, steps);
  if (const auto* op = node.op.as<ops::concat>()) return joined(op->inputs, i, steps);
  if (const auto* op = node.op.as<ops::reduceSum>()) return count(*op, data, steps);
  if (const auto* op = node.op.as<ops::slice>()) {
    if (op->input.rank() != 1 || op->options.strides) return std::nullopt;
    return element_of(op->input, op->starts[0] + i, steps);
  }
  if (const auto* op = node.op.as<ops::gather>()) {
    if (op->input.rank() != 1 || op->input.is_open()) return std::nullopt;
    const Found at = element_of(op->indices, i, steps);
    if (!at || !at->dimensions.empty()) return std::nullopt;
    const std::int64_t size = op->input.shape()[0];
    const std::int64_t place = at->number < 0 ? at->number + size : at->number;
    if (place < 0 || place >= size) return std::nullopt;
    return element_of(op->input, static_cast<std::uint64_t>(place), steps);
  }
  return std::nullopt;
}

}  // namespace

LinearSize& LinearSize::add(const LinearSize& other, std::int64_t times) {
  number += times * other.number;
  for (const auto& [name, n] : other.dimensions) {
    std::int64_t& own = dimensions[name];
    own += times * n;
    if (own == 0) dimensions.erase(name);
  }
  return *this;
}

LinearSize linear_size(const MLDimension& d) {
  if (!d.is_open()) return {d.size(), {}};
  return {0, {{d.dynamic().name, 1}}};
}

std::optional<LinearSize> linear_size(const MLOperand& x, std::uint64_t i) {
  int steps = max_steps_of_sizes;
  return element_of(x, i, steps);
}

}  // namespace webnn::inline v0_1::onnx
