// Files that are wrong, and what the importer says of them.
#include <bit>
#include <fstream>
#include <iterator>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::tflite::test;
using webnn::test::thrown;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8;

std::string refusal(const std::vector<std::byte>& file, const tflite::ImportOptions& o = {}) {
  return thrown([&] {
    MLGraphBuilder b(webnn::test::plain_context());
    tflite::import_model(b, file, o);
  });
}
std::string refusal(const Writer& w, const tflite::ImportOptions& o = {}) {
  return refusal(w.file(), o);
}

/// add(x0, c1) -> y2, of which a test breaks something.
Writer sum() {
  Writer w;
  w.output(w.op(Code::ADD, {w.input(f32, {2, 3}), w.floats({3}, {1, 2, 3})}, {w.result(f32)},
                fbs::AddOptionsT()));
  return w;
}

}  // namespace

TEST_CASE("tflite: bytes that are no model", "[tflite]") {
  CHECK(refusal(std::vector<std::byte>{}) == "DataError tflite: 0 bytes are too few for a model.");
  CHECK(refusal(std::vector<std::byte>(64)) == "DataError tflite: bytes 4 to 7 are not TFL3.");
  auto file = sum().file();
  const std::string broken =
      "DataError tflite: the flatbuffer is broken: an offset or a size in it is out of its bounds.";
  for (std::size_t size = 8; size < file.size(); ++size)
    CHECK(refusal(std::vector(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))) ==
          broken);
  file[0] = std::byte{0xff};
  CHECK(refusal(file) == broken);
}

TEST_CASE("tflite: bytes that are not aligned", "[tflite]") {
  const auto file = sum().file();
  std::vector<std::byte> shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  MLGraphBuilder b(webnn::test::plain_context());
  const auto owner = std::make_shared<int>();
  const auto m = tflite::import_model(b, owner, std::span(shifted).subspan(1));
  CHECK(m.outputs.size() == 1);
}

TEST_CASE("tflite: lists that name what there is not", "[tflite]") {
  Writer w = sum();
  w.model.version = 2;
  CHECK(refusal(w) == "DataError tflite: the version (2) of the format is not 3.");
  w = sum();
  w.model.subgraphs.clear();
  CHECK(refusal(w) == "DataError tflite: there is no subgraph.");
  w = sum();
  w.graph().outputs.clear();
  CHECK(refusal(w) == "DataError tflite: the subgraph has no outputs.");
  w = sum();
  w.graph().outputs = {7};
  CHECK(refusal(w) ==
        "DataError tflite: the list of outputs has 7, but the subgraph has 3 tensors.");
  w = sum();
  w.graph().inputs = {-1};
  CHECK(refusal(w) ==
        "DataError tflite: the list of inputs has -1, but the subgraph has 3 tensors.");
  w = sum();
  w.graph().inputs = {0, 0};
  CHECK(refusal(w) == "DataError tflite: tensor 0 (\"x0\") is an input twice.");
  w = sum();
  w.graph().inputs = {0, 1};
  CHECK(refusal(w) == "DataError tflite: tensor 1 (\"c1\") is an input and a constant.");
  w = sum();
  w.last().inputs = {0, 3};
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): its input is tensor 3, but the subgraph has 3.");
  w = sum();
  w.last().outputs = {-1};
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): its output is tensor -1, but the subgraph has 3.");
  w = sum();
  w.last().opcode_index = 9;
  CHECK(refusal(w) ==
        "DataError tflite: operator 0: its code (9) is not less than the number of codes (1).");
  w = sum();
  w.tensor(1).buffer = 9;
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): tensor 1 (\"c1\"): its buffer (9) is "
        "not less than the number of buffers (2).");
}

TEST_CASE("tflite: values that nothing makes", "[tflite]") {
  Writer w = sum();
  w.graph().inputs.clear();
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): tensor 0 (\"x0\") has no value: it is "
        "no input, no constant, and no operator writes it.");
  w = sum();
  w.last().inputs = {0, -1};
  CHECK(refusal(w) == "DataError tflite: operator 0 (ADD): its input 1 is missing.");
  w = sum();
  w.last().inputs = {0};
  CHECK(refusal(w) == "DataError tflite: operator 0 (ADD): it has 1 inputs, not at least 2.");
  w = sum();
  w.last().inputs = {0, 2};  // itself
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): tensor 2 (\"y2\") is read before "
        "operator 0 writes it.");
  w = sum();  // two that wait for each other
  w.last().inputs = {0, 3};
  w.op(Code::RELU, {2}, {w.result(f32)});
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): tensor 3 (\"y3\") is read before "
        "operator 1 writes it.");
  w = sum();
  w.op(Code::RELU, {0}, {2});
  CHECK(refusal(w) ==
        "DataError tflite: operator 1 (RELU): its output, tensor 2, is written by "
        "operator 0 too.");
  w = sum();
  w.op(Code::RELU, {2}, {0});
  CHECK(refusal(w) ==
        "DataError tflite: operator 1 (RELU): its output, tensor 0, is an input of the subgraph.");
  w = sum();
  w.last().outputs = {1};
  w.graph().outputs = {1};
  CHECK(
      refusal(w) ==
      "DataError tflite: operator 0 (ADD): tensor 1 (\"c1\"): it has values, but operator 0 writes "
      "it.");
  w = Writer();
  w.output(w.op(Code::RELU, {w.variable(f32, {2})}, {w.result(f32)}));
  CHECK(refusal(w) ==
        "NotSupportedError tflite: operator 0 (RELU): tensor 0 (\"v0\") is a "
        "variable, whose value lasts from one run to the next.");
}

TEST_CASE("tflite: sizes that do not fit", "[tflite]") {
  const std::string tensor1 = "DataError tflite: operator 0 (ADD): tensor 1 (\"c1\"): ";
  Writer w = sum();
  w.tensor(1).shape = {4};
  CHECK(refusal(w) == tensor1 + "its buffer has 12 bytes, but shape [4] of FLOAT32 needs 16.");
  w = sum();
  w.tensor(1).shape = {2147483647, 2147483647, 2147483647};
  CHECK(refusal(w) == tensor1 + "its elements are more than 2147483647.");
  w = sum();
  w.tensor(1).shape = {-3};
  CHECK(refusal(w) == tensor1 + "dimension 0 is -3.");
  w = sum();
  w.tensor(1).shape = {-1};
  CHECK(refusal(w) == tensor1 + "its dimension 0 is unknown.");
  w = sum();
  w.tensor(1).shape = std::vector<std::int32_t>(9, 1);
  CHECK(refusal(w) == tensor1 + "its rank (9) is greater than 8.");
  w = sum();
  w.tensor(0).shape = {0, 3};
  CHECK(refusal(w) == "DataError tflite: input \"x0\": its dimension 0 is 0.");
  w = sum();
  w.tensor(0).shape = {2147483647, 3};
  CHECK(refusal(w) ==
        "DataError tflite: input \"x0\": the number of elements of the input ([2147483647, 3]) is "
        "greater than 2147483647.");
  w = sum();
  w.tensor(0).shape = {2, 4};
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): add: the shapes of a ([2, 4]) and b "
        "([3]) do not broadcast.");
  w = sum();
  w.tensor(1).type = TensorType::INT32;
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): add: the data type (int32) of b is not "
        "that of a (float32).");
  w = sum();
  w.tensor(2).type = TensorType::INT32;
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (ADD): tensor 2 (\"y2\") is INT32, but the "
        "result is float32.");
  for (const auto type : {TensorType::STRING, TensorType::FLOAT64, static_cast<TensorType>(99)}) {
    w = sum();
    w.tensor(1).type = type;
    CHECK(refusal(w) ==
          "NotSupportedError tflite: operator 0 (ADD): tensor 1 (\"c1\"): WebNN has no type for " +
              std::string(type == TensorType::STRING    ? "STRING"
                          : type == TensorType::FLOAT64 ? "FLOAT64"
                                                        : "type 99") +
              '.');
  }
}

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
  CHECK(largest(100000, 2) ==
        "NotSupportedError tflite: operator 0 (TOPK_V2): the 2 largest of 100000 elements (1 rows "
        "of them).");
}

TEST_CASE("tflite: buffers outside of the flatbuffer", "[tflite]") {
  Writer w = sum();
  w.model.buffers[1]->data.clear();
  const auto at = [&](std::uint64_t offset, std::uint64_t size) {
    w.model.buffers[1]->offset = offset;
    w.model.buffers[1]->size = size;
    auto file = w.file();
    const float values[] = {10, 20, 30};
    while (file.size() % 16 != 0) file.push_back({});
    const auto bytes = std::as_bytes(std::span(values));
    file.insert(file.end(), bytes.begin(), bytes.end());
    return file;
  };
  const std::uint64_t size = at(2, 12).size();
  const auto y = run(at(size - 12, 12), std::vector{webnn::test::filled(float32, {2, 3}, 1)});
  CHECK(y[0][1] == 21);
  const std::string tensor1 = "DataError tflite: operator 0 (ADD): tensor 1 (\"c1\"): ";
  CHECK(refusal(at(size - 8, 12)) == tensor1 + "its buffer (1), 12 bytes at " +
                                         std::to_string(size - 8) + ", exceeds the " +
                                         std::to_string(size) + " bytes of the file.");
  CHECK(refusal(at(UINT64_MAX, UINT64_MAX)) ==
        tensor1 +
            "its buffer (1), 18446744073709551615 bytes at 18446744073709551615, exceeds the " +
            std::to_string(size) + " bytes of the file.");
}

TEST_CASE("tflite: memory is limited before it is allocated", "[tflite]") {
  Writer w;
  const int narrow = w.constant(TensorType::INT16, {1000}, std::vector<std::int16_t>(1000, 1));
  fbs::CastOptionsT o;
  w.output(w.op(Code::CAST, {narrow}, {w.result(f32)}, o));
  CHECK(refusal(w, {.max_bytes = 4000}) == "nothing");
  CHECK(refusal(w, {.max_bytes = 3999}) ==
        "DataError tflite: operator 0 (CAST): tensor 0 (\"c0\"): memory for a constant of another "
        "type or alignment would exceed max_bytes (3999) by 1 bytes.");
  w = Writer();  // a sparse tensor of almost nothing
  const int c = w.floats({32768, 32768}, {});
  auto s = std::make_unique<fbs::SparsityParametersT>();
  s->traversal_order = {0, 1};
  for (int level = 0; level < 2; ++level) {
    s->dim_metadata.push_back(std::make_unique<fbs::DimensionMetadataT>());
    s->dim_metadata.back()->dense_size = 32768;
  }
  w.tensor(c).sparsity = std::move(s);
  w.output(w.op(Code::RELU, {c}, {w.result(f32)}));
  CHECK(refusal(w).starts_with("DataError tflite: operator 0 (RELU): tensor 0 (\"c0\"): "));
  CHECK(
      refusal(w, {.max_bytes = 1 << 20}) ==
      "DataError tflite: operator 0 (RELU): tensor 0 (\"c0\"): its 4294967296 bytes are more than "
      "2147483647.");
}

TEST_CASE("tflite: quantisation that is wrong", "[tflite]") {
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
        "NotSupportedError tflite: tensor 0 (\"x0\"): it is quantised in a way of its own.");
  Writer w;
  w.output(w.op(Code::RELU, {w.input(i8, {2}, {{1.0f}})}, {w.result(i8, {{0.0f}})}));
  CHECK(refusal(w) == "DataError tflite: operator 0 (RELU): tensor 1 (\"y1\") has a scale of 0.");
}

TEST_CASE("tflite: operators without a counterpart are named at once", "[tflite]") {
  Writer w;
  const int x = w.input(f32, {2});
  const int a = w.op(Code::WHILE, {x}, {w.result(f32)});
  const int b = w.op(Code::CALL_ONCE, {a}, {w.result(f32)});
  const int c = w.op(Code::WHILE, {b}, {w.result(f32)});
  const int d = w.op(Code::CUSTOM, {c}, {w.result(f32)});
  w.model.operator_codes.back()->custom_code = "Detect\n";
  w.output(w.op(static_cast<Code>(4321), {d}, {w.result(f32)}));
  w.op(Code::IF, {x}, {w.result(f32)});  // not needed
  CHECK(refusal(w) ==
        "NotSupportedError tflite: operator 0 (WHILE) has no WebNN counterpart; 4 more: CALL_ONCE "
        "(1), CUSTOM \"Detect\\u000a\" (1), WHILE (1), an operator that is not of schema v2.15 "
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
        }) == conv2d + "the activation (9) is none of the format.");
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
        "DataError tflite: operator 0 (RESHAPE): the elements (6) are no multiple of "
        "the other dimensions (4).");
  w = Writer();
  w.output(w.op(Code::TRANSPOSE, {w.input(f32, {2, 3}), w.input(TensorType::INT32, {2})},
                {w.result(f32)}));
  CHECK(refusal(w) ==
        "NotSupportedError tflite: operator 0 (TRANSPOSE): its input 1 (tensor 1 "
        "(\"x1\")) is not a constant.");
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
        }) == "its buffer has 20 bytes, but its sparsity 3 elements of 4.");
}

TEST_CASE("tflite: any byte of a file may be any other", "[tflite]") {
  webnn::test::Random random(11);
  std::size_t accepted = 0;
  for (Case& c : all_cases()) {
    const auto file = c.writer.file();
    for (int round = 0; round < 40; ++round) {
      auto changed = file;
      for (std::uint32_t n = random.integer(1, 4); n > 0; --n) {
        const auto at = random.integer(8, static_cast<std::uint32_t>(file.size()) - 1);
        changed[at] = static_cast<std::byte>(random.integer(0, 255));
      }
      const std::string text = refusal(changed, {.max_bytes = 1 << 20});
      accepted += text == "nothing";
      if (text.starts_with("std::") || text.starts_with("Error ")) FAIL(c.name << ": " << text);
    }
  }
  CHECK(accepted > 500);
}

TEST_CASE("tflite: zero points between the places of their type", "[tflite]") {
  // From the fuzzer; the flatbuffers verifier lets it pass.
  std::ifstream in(WEBNN_SOURCE_DIR "/tests/formats/tflite/misaligned_zero_points.tflite",
                   std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  REQUIRE(text.size() > 500);
  const auto bytes = std::as_bytes(std::span(text));
  CHECK(refusal(std::vector(bytes.begin(), bytes.end()))
            .find("zero points are not aligned to 8 bytes") != std::string::npos);
}
