// Files that are wrong, and what the importer says of them; operators are in
// wrong_operators_test.cpp.
#include <bit>
#include <fstream>
#include <iterator>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/refusal.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/source_dir.h"

using namespace webnn;
using namespace webnn::tflite::test;
using webnn::test::thrown;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8;

}  // namespace

TEST_CASE("tflite: bytes that are not a model", "[tflite]") {
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
        "not an input or a constant, and no operator writes it.");
  w = sum();
  w.last().inputs = {0, -1};
  CHECK(refusal(w) == "DataError tflite: operator 0 (ADD): its input 1 is missing.");
  w = sum();
  w.last().inputs = {0};
  CHECK(refusal(w) == "DataError tflite: operator 0 (ADD): it has 1 inputs, fewer than 2.");
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
        "type or alignment would exceed the limit of memory (3999) by 1 bytes.");
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
  std::ifstream in(webnn::test::source_dir() / "tests/formats/tflite/misaligned_zero_points.tflite",
                   std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  REQUIRE(text.size() > 500);
  const auto bytes = std::as_bytes(std::span(text));
  CHECK(refusal(std::vector(bytes.begin(), bytes.end()))
            .find("zero points are not aligned to 8 bytes") != std::string::npos);
}
