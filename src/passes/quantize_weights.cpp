#include "webnn/quantize_weights.h"

#include <cmath>
#include <map>

#include "src/graph/failure.h"
#include "src/graph/resolve.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/small_weights.h"
#include "src/passes/rewriter.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1 {
namespace {

bool is_float_constant(const MLOperand& x) {
  return x.record().kind == OperandKind::constant && types::floats.contains(x.dataType());
}

/// Whether the operator is a convolution that is more than a product of matrices.
bool is_larger_filter(const Node& node) {
  const auto* op = as<ops::conv2d>(node);
  const auto shape = op ? convolution_of(*op, node.output()) : std::nullopt;
  return op && !(shape && shape->pointwise());
}

/// A constant that an operator reads as weights, perhaps transposed.
struct Use {
  MLOperand weights;
  std::size_t axis;  ///< the summed dimension
  std::string reader;
};

/// An operator with what stands for its operands and results where dimensions are open: whether it
/// reads weights does not depend on them.
class Closed {
 public:
  explicit Closed(const NodeData& node) : op_(node.op.clone()) {
    for (MLOperand* x : op_.operands()) *x = closed(*x);
    for (const MLOperand& y : node.outputs) outputs_.push_back(closed(y));
  }
  Node node() const { return Node(op_.kind(), op_.get(), outputs_); }
  bool stands_for(const MLOperand& x) const { return owner_of(x) == &data_; }

 private:
  MLOperand closed(const MLOperand& x) {
    if (!x.record().open) return borrowed(x.record());
    OperandRecord r = x.record();
    if (!r.open->ranked) r.descriptor.shape.assign(4, 1);
    std::ranges::replace(r.descriptor.shape, 0u, 1u);
    r.open = nullptr;
    return data_.add(std::move(r));
  }

  GraphData data_{};
  Op op_;
  std::vector<MLOperand> outputs_{};
};

/// By the operator that reads the constant: a transpose, or the product itself.
std::map<std::size_t, Use> uses_in(const Graph& graph) {
  std::map<std::size_t, Use> uses;
  const std::vector<std::size_t> readers = reader_counts(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const NodeData& data = data_of(graph).nodes[i];
    if (is_shape_op(data.op.kind())) continue;
    const Closed closed(data);
    const Node node = closed.node();
    const MLOperand* x = small_weights_operand(node);
    if (!x || closed.stands_for(*x) || is_larger_filter(node)) continue;
    const std::string label(node.label());
    const std::string name =
        label.empty() ? std::string(node.name()) + ' ' + std::to_string(i) : label;
    const std::size_t axis = weight_axes(node).k;
    if (is_float_constant(*x)) {
      uses.insert({i, {*x, axis, name}});
    } else if (x->record().kind == OperandKind::result && x->rank() == 2 &&
               readers[x->record().id] == 1) {
      const std::size_t producer = x->record().producer;
      const auto* transpose = graph.node(producer).as<ops::transpose>();
      if (!transpose || !is_float_constant(transpose->input)) continue;
      const bool swaps = ops::permutation_of(*transpose) == Dims{1, 0};
      uses.insert({producer, {transpose->input, swaps ? 1 - axis : axis, name}});
    }
  }
  return uses;
}

std::uint32_t block_of(std::uint32_t size, std::uint32_t wanted) {
  constexpr std::uint32_t least = 8;
  for (std::uint32_t block = std::min(wanted, size); block >= least; --block)
    if (size % block == 0) return block;
  return size;
}

/// The blocks of a tensor along one axis.
struct Blocks {
  std::size_t outer = 1, size, inner = 1, block;

  Blocks(const Dims& shape, std::size_t axis, std::uint32_t each) : size(shape[axis]), block(each) {
    for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
    for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  }
  std::size_t count() const { return outer * (size / block) * inner; }
  /// f(scale, first element, step) for each block.
  template <class F> void for_each(F f) const {
    for (std::size_t o = 0, s = 0; o < outer; ++o)
      for (std::size_t b = 0; b < size / block; ++b)
        for (std::size_t i = 0; i < inner; ++i, ++s)
          f(s, (o * size + b * block) * inner + i, inner);
  }
};

/// The error of a block with that scale; its integers go to `to`, if it is given.
double quantize(const double* w, std::size_t step, std::size_t count, double scale, int largest,
                int* to) {
  double error = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double v = w[i * step];
    const double q =
        scale == 0 ? 0.0 : std::clamp(std::nearbyint(v / scale), -1.0 - largest, double(largest));
    const double e = v - q * scale;
    error += e * e;
    if (to) to[i * step] = static_cast<int>(q);
  }
  return error;
}

/// The scale with the least squared error of a few: the largest weight need not be exact.
double best_scale(const double* w, std::size_t step, std::size_t count, int largest) {
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(w[i * step]));
  double best = static_cast<float>(most / largest);
  if (best == 0 || largest > 7) return best;
  double least = quantize(w, step, count, best, largest, nullptr);
  for (const double factor : {0.95, 0.9, 0.85, 0.8, 0.75}) {
    const double scale = static_cast<float>(most / largest * factor);
    const double error = quantize(w, step, count, scale, largest, nullptr);
    if (error >= least) continue;
    least = error;
    best = scale;
  }
  return best;
}

class Quantizer {
 public:
  Quantizer(const Graph& graph, const WeightQuantization& options,
            std::vector<QuantizedWeights>* report)
      : graph_(graph), to_(graph), options_(options), report_(report) {}

  Graph run() {
    const auto uses = uses_in(graph_);
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto found = uses.find(i);
      const MLOperand small = found == uses.end() ? MLOperand() : small_form(found->second);
      if (!small) {
        to_.keep(i);
        continue;
      }
      const MLOperand& weights = found->second.weights;
      const MLOperand before = to_(weights);
      to_.replace(weights, small);
      to_.keep(i);
      to_.replace(weights, before);
    }
    return to_.finish();
  }

 private:
  MLOperand small_form(const Use& use) {
    const auto key = std::pair(use.weights.record().id, use.axis);
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    const std::vector<double> w = doubles_of(use.weights);
    MLOperand y;
    QuantizedWeights row{use.reader, use.weights.descriptor()};
    double squares = 0, error = 0;
    bool fits = true;
    for (double v : w) {
      squares += v * v;
      fits &= std::isfinite(v) && (options_.type != float16 || std::abs(v) < 65504);
    }
    if (fits && options_.type == float16) y = float16_values(use.weights, w, error, row);
    else if (fits) y = integers(use, w, error, row);
    if (y && report_) {
      row.relative_error = squares > 0 ? std::sqrt(error / squares) : 0;
      report_->push_back(std::move(row));
    }
    return made_.emplace(key, y).first->second;
  }

  MLOperand float16_values(const MLOperand& x, const std::vector<double>& w, double& error,
                           QuantizedWeights& row) {
    if (x.dataType() != float32) return {};
    std::vector<Float16> narrow;
    narrow.reserve(w.size());
    for (double v : w) {
      narrow.push_back(Float16(static_cast<float>(v)));
      const double e = v - static_cast<double>(static_cast<float>(narrow.back()));
      error += e * e;
    }
    row.bytes = 2 * w.size();
    const MLOperand c =
        to_.constant({float16, x.shape()}, Constant::copy_of(std::as_bytes(std::span(narrow))));
    return to_.add(ops::cast{c, float32}, x.descriptor());
  }

  MLOperand integers(const Use& use, const std::vector<double>& w, double& error,
                     QuantizedWeights& row) {
    const Dims& shape = use.weights.shape();
    const std::uint32_t size = shape[use.axis];
    row.block = options_.block == 0 ? size : block_of(size, options_.block);
    const Blocks blocks(shape, use.axis, row.block);
    const bool four = options_.type == int4;
    const int largest = four ? 7 : 127;
    std::vector<int> q(w.size());
    std::vector<double> scales(blocks.count());
    const MLOperandDataType type = use.weights.dataType();
    blocks.for_each([&](std::size_t s, std::size_t first, std::size_t step) {
      const double scale =
          MLNumber(best_scale(&w[first], step, row.block, largest)).to(type).as_double();
      scales[s] = scale;
      error += quantize(&w[first], step, row.block, scale, largest, &q[first]);
    });
    std::vector<std::byte> bytes(four ? (q.size() + 1) / 2 : q.size());
    for (std::size_t i = 0; i < q.size(); ++i)
      if (four) bytes[i / 2] |= static_cast<std::byte>((q[i] & 15) << (i % 2 * 4));
      else bytes[i] = static_cast<std::byte>(q[i] & 255);
    Dims scale_shape = shape;
    scale_shape[use.axis] = size / row.block;
    const MLOperandDescriptor zeros{options_.type, scale_shape};
    row.bytes = bytes.size() + scales.size() * static_cast<std::size_t>(bits_of(type)) / 8 +
                byte_length(zeros);
    return to_.add(
        ops::dequantizeLinear{
            to_.constant({options_.type, shape}, Constant::copy_of(bytes)),
            to_.constant({type, scale_shape}, constant_from(scales, type)),
            to_.constant(zeros, Constant::copy_of(std::vector<std::byte>(byte_length(zeros))))},
        use.weights.descriptor());
  }

  const Graph& graph_;
  Rewriter to_;
  const WeightQuantization& options_;
  std::vector<QuantizedWeights>* report_;
  std::map<std::pair<std::uint32_t, std::size_t>, MLOperand> made_{};
};

}  // namespace

Graph quantize_weights(const Graph& graph, const WeightQuantization& options,
                       std::vector<QuantizedWeights>* report) {
  if (options.type != int4 && options.type != int8 && options.type != float16)
    raise(fail("the type ({}) is not int4, int8 or float16", name_of(options.type)),
          "quantize_weights");
  return Quantizer(graph, options, report).run();
}

}  // namespace webnn::inline v0_1
