// One import of a model with open dimensions, and runs at many sizes.
#pragma once

#include <cmath>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

namespace webnn::inline v0_1::onnx::test {

using webnn::test::generated;

/// A graph that was imported once.
class Imported {
 public:
  explicit Imported(const Writer& w) {
    const Model model = import_model(builder_, w.file());
    graph_ = builder_.build(model.outputs, {.inputs = model.inputs});
  }
  std::vector<Tensor> run(const std::map<std::string, Tensor>& inputs) {
    return onnx::test::run(builder_.context(), graph_, inputs);
  }
  std::string refusal(const std::map<std::string, Tensor>& inputs) {
    return webnn::test::thrown([&] { run(inputs); });
  }

 private:
  MLGraphBuilder builder_{webnn::test::plain_context()};
  MLGraph graph_{};
};

/// Different numbers, small ones.
inline Tensor counted(Dims shape, MLOperandDataType type = float32) {
  if (element_count(shape) == 0) return {type, std::move(shape)};
  double next = 0;
  return generated(type, std::move(shape), [&](const Dims&) { return std::fmod(next++ * 7, 23); });
}

using Expected = std::function<double(const Dims& place)>;

inline void check(const Tensor& y, const Dims& shape, const Expected& expected) {
  REQUIRE(y.shape == shape);
  const Tensor right = generated(float32, shape, expected);
  for (std::size_t i = 0; i < y.size(); ++i) {
    INFO("element " << i << ": " << y[i] << ", expected " << right[i]);
    REQUIRE(std::abs(y[i] - right[i]) <= 1e-5 * std::max(1.0, std::abs(right[i])));
  }
}

inline Message scalar(std::string_view name, std::int64_t value) {
  return int64s(name, {}, {value});
}
inline Message list(std::string_view name, const Ints& values) {
  return int64s(name, {static_cast<std::int64_t>(values.size())}, values);
}

/// `name` is the size of a dimension, a scalar, and `name`1 a list of it, as torch writes them.
inline void size_of(Writer& w, const std::string& x, std::int64_t axis, const std::string& name) {
  w.initializer(scalar(name + "_axis", axis));
  w.node("Shape", {x}, {name + "_shape"});
  w.node("Gather", {name + "_shape", name + "_axis"}, {name}, {attribute("axis", 0)});
  w.node("Unsqueeze", {name, "zeros"}, {name + "1"});
}
inline Writer with_zeros() {
  Writer w;
  w.initializer(list("zeros", {0}));
  return w;
}

inline constexpr std::uint32_t some_sizes[] = {1, 2, 3, 7, 16, 33, 100};

}  // namespace webnn::inline v0_1::onnx::test
