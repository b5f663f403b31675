// Operands that are axes, sizes and places may have any type of integers: TensorFlow Lite's kernels
// do not look at the type of some of them (TRANSPOSE), and browsers write UINT32.
#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/refusal.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::tflite::test;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32;

template <class T> int constant(Writer& w, TensorType type, const std::vector<int>& values) {
  return w.constant(type, {static_cast<std::int32_t>(values.size())},
                    std::vector<T>(values.begin(), values.end()));
}
int indices(Writer& w, TensorType type, const std::vector<int>& values) {
  switch (type) {
    case TensorType::INT8: return constant<std::int8_t>(w, type, values);
    case TensorType::UINT8: return constant<std::uint8_t>(w, type, values);
    case TensorType::INT16: return constant<std::int16_t>(w, type, values);
    case TensorType::UINT16: return constant<std::uint16_t>(w, type, values);
    case TensorType::INT32: return constant<std::int32_t>(w, type, values);
    case TensorType::UINT32: return constant<std::uint32_t>(w, type, values);
    case TensorType::INT64: return constant<std::int64_t>(w, type, values);
    default: return constant<std::uint64_t>(w, type, values);
  }
}
Dims shape_of(const Writer& w) {
  webnn::test::Builder b;
  return tflite::import_model(b, w.file()).outputs.at(0).operand.shape();
}
constexpr TensorType integer_types[] = {TensorType::INT8,   TensorType::UINT8, TensorType::INT16,
                                        TensorType::UINT16, TensorType::INT32, TensorType::UINT32,
                                        TensorType::INT64,  TensorType::UINT64};

}  // namespace

TEST_CASE("tflite: index operands of every type of integers", "[tflite]") {
  for (const TensorType type : integer_types) {
    CAPTURE(fbs::EnumNameTensorType(type));
    const auto shape = [&](Code code, std::vector<std::vector<int>> arguments) {
      Writer w;
      std::vector<int> inputs{w.input(f32, {2, 3, 4})};
      for (const auto& a : arguments) inputs.push_back(indices(w, type, a));
      w.output(w.op(code, inputs, {w.result(f32)}));
      return shape_of(w);
    };
    CHECK(shape(Code::TRANSPOSE, {{2, 0, 1}}) == Dims{4, 2, 3});
    CHECK(shape(Code::RESHAPE, {{6, 4}}) == Dims{6, 4});
    CHECK(shape(Code::TILE, {{2, 1, 3}}) == Dims{4, 3, 12});
    CHECK(shape(Code::BROADCAST_TO, {{2, 2, 3, 4}}) == Dims{2, 2, 3, 4});
    CHECK(shape(Code::REVERSE_V2, {{1}}) == Dims{2, 3, 4});
    CHECK(shape(Code::SLICE, {{0, 1, 1}, {2, 2, 3}}) == Dims{2, 2, 3});
    CHECK(shape(Code::SUM, {{1}}) == Dims{2, 4});
  }
}

TEST_CASE("tflite: a UINT32 has the bits of the INT32 that the runtime reads", "[tflite]") {
  Writer w;
  const int x = w.input(f32, {2, 3});
  w.output(w.op(Code::RESHAPE, {x, indices(w, TensorType::UINT32, {3, -1})}, {w.result(f32)}));
  CHECK(shape_of(w) == Dims{3, 2});
}

TEST_CASE("tflite: index operands that are not integers", "[tflite]") {
  Writer w;
  const int x = w.input(f32, {2, 3});
  w.output(w.op(Code::TRANSPOSE, {x, w.floats({2}, {1, 0})}, {w.result(f32)}));
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (TRANSPOSE): its input 1 (tensor 1 (\"c1\")) is FLOAT32, not "
        "an integer.");
}
