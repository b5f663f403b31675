// Makes values and nodes. Private.
#pragma once

#include <limits>

#include "src/formats/common/rearranged.h"
#include "src/formats/executorch/export/model.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::executorch::exporter {

/// The output_min_max of a node.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  bool bind() const { return !(*this == Limits{}); }
  bool operator==(const Limits&) const = default;
};

struct Sliding;

class Emitter {
 public:
  ModelRecord& model() { return model_; }
  const Spec& spec(Value x) const { return model_[x].spec; }
  const Dims& shape(Value x) const { return spec(x).shape; }
  DataType type(Value x) const { return spec(x).type; }
  std::size_t rank(Value x) const { return shape(x).size(); }
  const Constant* constant(Value x) const {
    return model_[x].constant ? &*model_[x].constant : nullptr;
  }
  void set_name(Value x, std::string name) { model_.values[x.id].name = std::move(name); }
  void quantize(Value x, Quantizer q, DataType type);

  Value value(Spec spec);
  Value constant(Spec spec, Constant bytes);
  /// A constant of floats, in that float type.
  Value floats(Dims shape, const std::vector<float>& values, DataType type);

  /// The failure of what cannot be expressed; the value stands in for the result.
  Value refuse(const Failure& failure, Spec result);
  std::optional<Failure> take_failure() { return std::exchange(failure_, std::nullopt); }

  Value unary(Kind kind, Value x, std::optional<Spec> result = {}, Limits limits = {});
  Value binary(Kind kind, Value a, Value b, std::optional<Spec> result = {}, Limits limits = {});
  Value binary(Kind kind, Value a, double b) {
    const Dims one(rank(a) == 0 ? 0 : 1, 1);
    return binary(kind, a, floats(one, {static_cast<float>(b)}, type(a)));
  }
  Value clamp(Value x, Limits limits, std::optional<Spec> result = {});
  Value leaky_relu(Value x, float slope, Spec result);
  Value elu(Value x, float alpha, Spec result);
  Value fully_connected(Value x, Value filter, Value bias, Spec result, Limits limits);
  Value matrices(Value a, Value b);
  Value convolution(Kind kind, xnn::NodeConvT table, Value x, Value filter, Value bias, Spec result,
                    Limits limits);
  Value pool(Kind kind, Value x, const Sliding& height, const Sliding& width, Spec result,
             Limits limits);
  /// The largest element of each window, and its place: of height rows and one column.
  Value arg_max(Value x, std::uint32_t height);

  // What moves elements keeps type and quantization; constants are moved at once.
  Value reshape(Value x, Dims shape);
  Value transpose(Value x, const Dims& permutation);
  Value slice(Value x, const Dims& starts, const Dims& sizes);
  Value pad(Value x, const Dims& before, const Dims& after, float value);
  Value concat(std::vector<Value> parts, std::uint32_t axis);
  Value resize(Value x, std::uint32_t height, std::uint32_t width, Spec result);
  /// By multiplying with 1.
  Value broadcast_to(Value x, const Dims& shape);
  /// The mean over dimensions, which remain with size 1.
  Value mean(Value x, const Dims& axes);
  /// f on [outer, elements of axes, 1, 1], whose result [outer, 1, 1, 1] gets the dimensions of x
  /// with those of axes as 1.
  template <class F> Value reduce(Value x, const Dims& axes, F&& f);

 private:
  template <class Table>
  Value append(Kind kind, Table table, Spec result, Limits limits = {}, std::uint32_t flags = 0);

  ModelRecord model_{};
  std::optional<Failure> failure_{};
};

/// One of the two dimensions over which a window slides.
struct Sliding {
  std::uint32_t size = 1, stride = 1, dilation = 1, before = 0, after = 0;
};

using formats::axes_or_all;
using formats::broadcast_shape;
using formats::permuted;
using formats::transposed;
std::uint32_t count_of(const Dims& shape);

template <class F> Value Emitter::reduce(Value x, const Dims& axes, F&& f) {
  const Dims from = shape(x);
  Dims order, kept = from;
  std::uint32_t inner = 1;
  for (const std::uint32_t a : axes) {
    kept[a] = 1;
    inner *= from[a];
  }
  for (std::uint32_t d = 0; d < from.size(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  order.insert(order.end(), axes.begin(), axes.end());
  const Value rows = reshape(transpose(x, order), {count_of(from) / inner, inner, 1, 1});
  return reshape(f(rows), kept);
}

}  // namespace webnn::inline v0_1::executorch::exporter
