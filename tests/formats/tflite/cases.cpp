#include "tests/formats/tflite/cases.h"

#include <cmath>
#include <stdexcept>

#include "tests/support/random.h"

namespace webnn::inline v0_1::tflite::test {

Cases all_cases() {
  Cases all;
  for (auto add : {add_convolutions, add_products, add_pools, add_elementwise, add_activations,
                   add_comparisons, add_reductions, add_shapes, add_slices, add_gathers, add_images,
                   add_generators, add_recurrents})
    add(all);
  return all;
}

Case case_named(const std::string& name) {
  for (Case& c : all_cases())
    if (c.name == name) return std::move(c);
  throw std::out_of_range("no case " + name);
}

namespace {

struct Held {
  MLOperandDataType type;
  double low, high;
};

Held held(TensorType type, const Case& c) {
  switch (type) {
    case TensorType::FLOAT32: return {float32, c.low, c.high};
    case TensorType::FLOAT16: return {float16, c.low, c.high};
    case TensorType::INT8: return {int8, -128, 127};
    case TensorType::UINT8: return {uint8, 0, 255};
    case TensorType::BOOL: return {uint8, 0, 1};
    case TensorType::INT16: return {int32, -32768, 32767};
    case TensorType::INT64: return {int64, c.low, c.high};
    default: return {int32, c.low, c.high};
  }
}

}  // namespace

std::vector<webnn::test::Tensor> inputs_of(Case& c) {
  webnn::test::Random random(7);
  std::vector<webnn::test::Tensor> all;
  for (int i : c.writer.graph().inputs) {
    const schema::TensorT& t = c.writer.tensor(i);
    const Held h = held(t.type, c);
    all.push_back(random.tensor(h.type, {t.shape.begin(), t.shape.end()}, h.low, h.high));
  }
  return all;
}

}  // namespace webnn::inline v0_1::tflite::test
