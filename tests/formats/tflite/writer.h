// Writes .tflite files for tests, right and wrong ones, with the object API of the schema.
#pragma once

#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "src/formats/tflite/schema.h"

namespace webnn::inline v0_1::tflite::test {

using schema::BuiltinOperator;
using schema::TensorType;
using Shape = std::vector<std::int32_t>;

struct Quant {
  std::vector<float> scale{};
  std::vector<std::int64_t> zero_point{};
  std::int32_t axis = 0;
};

/// A tensor that an operator writes: one that there is, or a new one, which then follows all that
/// were made for the operator's inputs.
struct Out {
  int index = -1;
  TensorType type = TensorType::FLOAT32;
  Quant q{};
  Shape shape{};

  Out(int i) : index(i) {}
  Out(TensorType t, Quant scales, Shape s) : type(t), q(std::move(scales)), shape(std::move(s)) {}
};

class Writer {
 public:
  schema::ModelT model{};

  Writer();

  /// Each returns the tensor's index in the last subgraph.
  int input(TensorType type, Shape shape, Quant q = {});
  int empty(TensorType type, Quant q = {}, Shape shape = {});
  int variable(TensorType type, Shape shape);
  int bytes(TensorType type, Shape shape, std::span<const std::byte> values, Quant q = {});
  template <class T>
  int constant(TensorType type, Shape shape, const std::vector<T>& values, Quant q = {}) {
    return bytes(type, std::move(shape), std::as_bytes(std::span(values)), std::move(q));
  }
  int ints(const std::vector<std::int32_t>& values) {
    return constant(TensorType::INT32, {static_cast<std::int32_t>(values.size())}, values);
  }
  int integer(std::int32_t value) {
    return constant(TensorType::INT32, {}, std::vector<std::int32_t>{value});
  }
  int floats(Shape shape, const std::vector<float>& values) {
    return constant(TensorType::FLOAT32, std::move(shape), values);
  }
  /// Values that are the same in every run: floats between -1 and 1; all int8; int32 up to 100.
  int weights(TensorType type, Shape shape, Quant q = {}, unsigned seed = 1);

  static Out result(TensorType type, Quant q = {}, Shape shape = {}) {
    return {type, std::move(q), std::move(shape)};
  }
  /// The last of `outputs`.
  int op(BuiltinOperator code, const std::vector<int>& inputs, const std::vector<Out>& outputs);
  template <class Options>
  int op(BuiltinOperator code, const std::vector<int>& inputs, const std::vector<Out>& outputs,
         Options options) {
    const int last = op(code, inputs, outputs);
    graph().operators.back()->builtin_options.Set(std::move(options));
    return last;
  }
  void output(int tensor) { graph().outputs.push_back(tensor); }

  schema::SubGraphT& graph() { return *model.subgraphs.back(); }
  schema::TensorT& tensor(int i) { return *graph().tensors[static_cast<std::size_t>(i)]; }
  schema::OperatorT& last() { return *graph().operators.back(); }
  void add_subgraph();

  std::vector<std::byte> file() const;

 private:
  int add(TensorType type, Shape shape, Quant q, std::string_view kind);
};

/// Elements per tensor.
std::size_t count_of(const Shape& shape);

}  // namespace webnn::inline v0_1::tflite::test
