// Operators that are wrong, and what the importer says of them.
#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/refusal.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::tflite::test;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8;

}  // namespace

TEST_CASE("tflite: more of the largest than there are", "[tflite]") {
  const auto largest = [](std::int32_t n, std::int32_t k) {
    Writer w;
    const int values = w.empty(f32), indices = w.empty(TensorType::INT32);
    w.op(Code::TOPK_V2, {w.input(f32, {n}), w.integer(k)}, {values, indices},
         fbs::TopKV2OptionsT());
    w.output(values);
    return refusal(w);
  };
  CHECK(largest(5, 5) == "nothing");
  for (const std::int32_t k : {0, 6, -1})
    CHECK(largest(5, k) == "DataError tflite: operator 0 (TOPK_V2): k (" + std::to_string(k) +
                               ") is not from 1 to the size (5) of the last axis.");
  CHECK(largest(100000, 2) == "nothing");
}

TEST_CASE("tflite: quantization that is wrong", "[tflite]") {
  const auto refused = [](Quant q, std::function<void(fbs::QuantizationParametersT&)> f = {}) {
    Writer w;
    const int x = w.input(i8, {2, 3}, std::move(q));
    if (f) f(*w.tensor(x).quantization);
    w.output(w.op(Code::RELU, {x}, {w.result(i8, {{1.0f}})}));
    return refusal(w);
  };
  const std::string tensor0 = "DataError tflite: tensor 0 (\"x0\"): ";
  CHECK(refused({{-1.0f}}) == tensor0 + "its scale (-1) is not a positive number.");
  CHECK(refused({{std::bit_cast<float>(0x7fc00000)}}) ==
        tensor0 + "its scale (nan) is not a positive number.");
  CHECK(refused({{1.0f}, {128}}) == tensor0 + "its zero point (128) is not between -128 and 127.");
  CHECK(refused({{1.0f, 2.0f}, {0, 0, 0}, 0}) == tensor0 + "it has 3 zero points for 2 scales.");
  CHECK(refused({{1.0f, 2.0f}, {0, 0}, 1}) == tensor0 + "it has 2 scales for dimension 1 (3).");
  CHECK(refused({{1.0f, 2.0f}, {0, 0}, 2}) ==
        tensor0 + "its quantized_dimension (2) is not below its rank (2).");
  CHECK(refused({{1.0f}}, [](auto& q) { q.details.Set(fbs::CustomQuantizationT()); }) ==
        "NotSupportedError tflite: tensor 0 (\"x0\"): it has a custom quantization.");
  Writer w;
  w.output(w.op(Code::RELU, {w.input(i8, {2}, {{1.0f}})}, {w.result(i8, {{0.0f}})}));
  CHECK(refusal(w) == "DataError tflite: operator 0 (RELU): tensor 1 (\"y1\") has a scale of 0.");
}

TEST_CASE("tflite: operators without a counterpart are named at once", "[tflite]") {
  Writer w;
  const int x = w.input(f32, {2});
  const int a = w.op(Code::CONV_3D, {x}, {w.result(f32)});
  const int b = w.op(Code::RFFT2D, {a}, {w.result(f32)});
  const int c = w.op(Code::CONV_3D, {b}, {w.result(f32)});
  const int d = w.op(Code::CUSTOM, {c}, {w.result(f32)});
  w.model.operator_codes.back()->custom_code = "Detect\n";
  w.output(w.op(static_cast<Code>(4321), {d}, {w.result(f32)}));
  w.op(Code::IF, {x}, {w.result(f32)});  // not needed
  CHECK(refusal(w) ==
        "NotSupportedError tflite: operator 0 (CONV_3D) has no WebNN counterpart; 4 more: CONV_3D "
        "(1), CUSTOM \"Detect\\u000a\" (1), RFFT2D (1), an operator that is not of schema v2.15 "
        "(1).");
}

TEST_CASE("tflite: options that are wrong", "[tflite]") {
  const auto conv = [](auto change) {
    Writer w;
    fbs::Conv2DOptionsT o;
    o.stride_h = o.stride_w = 1;
    change(o);
    w.output(w.op(Code::CONV_2D, {w.input(f32, {1, 4, 4, 2}), w.weights(f32, {3, 3, 3, 2})},
                  {w.result(f32)}, o));
    return refusal(w);
  };
  const std::string conv2d = "DataError tflite: operator 0 (CONV_2D): ";
  CHECK(conv([](auto& o) { o.stride_w = 0; }) ==
        conv2d + "stride_w (0) is not between 1 and 2147483647.");
  CHECK(conv([](auto& o) { o.padding = static_cast<fbs::Padding>(7); }) ==
        conv2d + "the padding (7) is neither SAME nor VALID.");
  CHECK(conv([](auto& o) {
          o.fused_activation_function = static_cast<fbs::ActivationFunctionType>(9);
        }) == conv2d + "the activation (9) is not one of the format.");
  CHECK(conv([](auto& o) {
          o.fused_activation_function = fbs::ActivationFunctionType::SIGN_BIT;
        }) == "NotSupportedError tflite: operator 0 (CONV_2D): the activation SIGN_BIT.");
  CHECK(conv([](auto& o) {
          o.padding = fbs::Padding::VALID;
          o.dilation_h_factor = 2147483647;
        }) == conv2d +
                  "conv2d: the filter ([3, 3]) with dilations ([2147483647, 1]) is larger "
                  "than the padded input ([1, 4, 4, 2]).");
  Writer w = sum();
  w.last().builtin_options.Set(fbs::MulOptionsT());
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): its options are those of another operator.");
  w = Writer();
  w.output(w.op(Code::RESHAPE, {w.input(f32, {2, 3}), w.ints({-1, 4})}, {w.result(f32)}));
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (RESHAPE): the elements (6) are not a multiple of "
        "the other dimensions (4).");
  w = Writer();
  w.output(w.op(Code::TRANSPOSE, {w.input(f32, {2, 3}), w.input(TensorType::INT32, {2})},
                {w.result(f32)}));
  CHECK(refusal(w) ==
        "NotSupportedError tflite: operator 0 (TRANSPOSE): its input 1 (tensor 1 "
        "(\"x1\")) is not a constant, but follows from the model's input \"x1\" (int32 [2]): give "
        "its "
        "value to the import, in the option values.");
}

TEST_CASE("tflite: calls that do not end", "[tflite]") {
  Writer w;
  fbs::CallOptionsT call;
  w.output(w.op(Code::CALL, {w.input(f32, {2})}, {w.result(f32)}, call));
  CHECK(refusal(w).ends_with("calls are nested more than 16 deep."));
  // Each calls the next one many times: 40 ^ 15 operators.
  w = Writer();
  for (std::uint32_t depth = 1; depth < 16; ++depth) {
    int x = w.input(f32, {2});
    call.subgraph = depth;
    for (int i = 0; i < 40; ++i) x = w.op(Code::CALL, {x}, {w.result(f32)}, call);
    w.output(x);
    w.add_subgraph();
  }
  w.output(w.op(Code::RELU, {w.input(f32, {2})}, {w.result(f32)}));
  const std::string text = refusal(w);
  CHECK(text.find("its lists have more entries") != text.npos);
}

TEST_CASE("tflite: sparsity that is wrong", "[tflite]") {
  const auto sparse = [](std::function<void(fbs::SparsityParametersT&)> change) {
    Writer w;
    const int c = w.floats({4, 3}, {1, 2, 3, 4, 5});
    auto s = std::make_unique<fbs::SparsityParametersT>();
    s->traversal_order = {0, 1};
    for (int level = 0; level < 2; ++level)
      s->dim_metadata.push_back(std::make_unique<fbs::DimensionMetadataT>());
    s->dim_metadata[0]->dense_size = 4;
    s->dim_metadata[1]->format = fbs::DimensionType::SPARSE_CSR;
    fbs::Int32VectorT segments, indices;
    segments.values = {0, 2, 2, 3, 5};
    indices.values = {0, 2, 1, 0, 1};
    s->dim_metadata[1]->array_segments.Set(std::move(segments));
    s->dim_metadata[1]->array_indices.Set(std::move(indices));
    change(*s);
    w.tensor(c).sparsity = std::make_unique<fbs::SparsityParametersT>(*s);
    w.output(w.op(Code::RELU, {c}, {w.result(f32)}));
    const std::string text = refusal(w);
    const std::string subject = "DataError tflite: operator 0 (RELU): tensor 0 (\"c0\"): ";
    return text.starts_with(subject) ? text.substr(subject.size()) : text;
  };
  CHECK(sparse([](auto&) {}) == "nothing");
  CHECK(sparse([](auto& s) { s.traversal_order = {0, 0}; }) == "its traversal_order has 0 at 1.");
  CHECK(sparse([](auto& s) { s.traversal_order = {0}; }) ==
        "its sparsity has 1 levels and 0 blocks for 2 dimensions.");
  CHECK(sparse([](auto& s) { s.dim_metadata[0]->dense_size = 5; }) ==
        "level 0 has 4 coordinates, but dense_size 5.");
  CHECK(sparse([](auto& s) {
          s.dim_metadata[1]->array_segments.AsInt32Vector()->values.pop_back();
        }) == "level 1 has 4 segments, but more are needed.");
  CHECK(sparse([](auto& s) {
          s.dim_metadata[1]->array_segments.AsInt32Vector()->values[1] = -1;
        }) == "level 1 has a segment from 0 to -1 of 5 indices.");
  CHECK(sparse([](auto& s) { s.dim_metadata[1]->array_indices.AsInt32Vector()->values[1] = 3; }) ==
        "level 1 has the index 3 after 0, of 3.");
  CHECK(sparse([](auto& s) { s.dim_metadata[1]->array_indices.AsInt32Vector()->values[1] = 0; }) ==
        "level 1 has the index 0 after 0, of 3.");
  CHECK(sparse([](auto& s) {
          s.dim_metadata[1]->array_segments.AsInt32Vector()->values = {0, 2, 2, 3, 3};
        }) == "its buffer has 20 bytes, but its sparsity has 3 elements of 4 bytes.");
}
