// Graphs that are wrong, and what the importer says of them.
#include "tests/formats/executorch/cases.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::executorch::test;
using executorch::no_value;
namespace xnn = webnn::executorch::xnn;

namespace {

/// x + k, of three elements: values 0, 1 and 2.
GraphWriter sum() {
  GraphWriter g;
  const auto x = g.input({3}), c = g.floats({3}, {1, 2, 3}), y = g.output({3});
  g.binary(Kind::Add, x, c, y);
  return g;
}
std::string of(const GraphWriter& g, const executorch::ImportOptions& o = {}) {
  return refusal(g.file(), o);
}
const std::string add = "DataError executorch: node 0 (Add): ";

}  // namespace

TEST_CASE("executorch: bytes that are not a graph", "[executorch]") {
  Bytes file = sum().file();
  CHECK(refusal(file) == "nothing");
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO(size);
    CHECK(refusal(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)))
              .starts_with("DataError executorch: "));
  }
  file[10] = std::byte{0xff};
  CHECK(refusal(file).starts_with("DataError executorch: the header's flatbuffer, "));
  GraphWriter g = sum();
  g.identifier = "XN02";
  CHECK(of(g) ==
        "DataError executorch: the identifier of the flatbuffer is \"XN02\", not XN00 or XN01.");
  Bytes flat = sum().flatbuffer();
  flat[0] = std::byte{0xff};
  CHECK(refusal(flat) ==
        "DataError executorch: the flatbuffer is broken: an offset or a size in it is out of its "
        "bounds.");
  CHECK(refusal(sum().file(), {.method = "forward"}) ==
        "TypeError executorch: there is no method \"forward\": it is not a program.");
}

TEST_CASE("executorch: bytes that are not aligned", "[executorch]") {
  for (const Case& c : all_cases()) {
    const Bytes file = c.graph.file();
    Bytes shifted(file.size() + 1);
    std::copy(file.begin(), file.end(), shifted.begin() + 1);
    MLGraphBuilder b(webnn::test::plain_context());
    const auto m =
        executorch::import_model(b, std::make_shared<int>(), std::span(shifted).subspan(1));
    CHECK(!m.outputs.empty());
  }
}

TEST_CASE("executorch: values that are wrong", "[executorch]") {
  GraphWriter g = sum();
  g.tensor(1).constant_buffer_idx = 9;
  CHECK(of(g) == add + "value 1: its constant (9) is not less than the number of constants (2).");
  g = sum();
  g.graph.constant_data[1]->size = 99;
  CHECK(of(g) ==
        add + "value 1: its constant (1), 99 bytes at 0, exceeds the 16 bytes of constants.");
  g = sum();
  g.tensor(1).dims = {8};
  CHECK(of(g) == add + "value 1: its constant (1) has 12 bytes, but shape [8] of fp32 needs 32.");
  g = sum();
  g.tensor(1).dims = {0};
  CHECK(of(g) == add + "value 1: its dimension 0 is 0.");
  g = sum();
  g.tensor(1).dims = {2147483647, 2147483647};
  g.tensor(1).num_dims = 2;
  CHECK(of(g) == add + "value 1: its elements are more than 2147483647.");
  g = sum();
  g.tensor(1).num_dims = 2;
  CHECK(of(g) == "DataError executorch: value 1: it has 2 dimensions, but lists 1.");
  g = sum();
  g.tensor(0).flags = 4;
  CHECK(of(g) == "DataError executorch: value 0: its flags (4) are not of the format.");
  g = sum();
  g.tensor(1).id_out = 0;
  CHECK(of(g) == "DataError executorch: two values have the id 0.");
  g = sum();
  g.tensor(2).external_id = 4096;
  CHECK(of(g) == "DataError executorch: value 2: its external id (4096) is not below 4096.");
  g = sum();
  g.graph.num_externs = 4097;
  CHECK(of(g) == "DataError executorch: it has 4097 external values, more than 4096.");
  g = sum();
  g.tensor(1).datatype = DataType::qint8;
  CHECK(of(g) == "DataError executorch: value 1: it is qint8 and has no scales.");
  g = sum();
  g.per_tensor(1, -1, 0);
  CHECK(of(g) == "DataError executorch: value 1: its scale (-1) is not a positive number.");
  g = sum();
  g.tensor(0).datatype = static_cast<DataType>(99);
  CHECK(of(g) == "NotSupportedError executorch: value 0: WebNN has no type for type 99.");
  g = sum();
  g.tensor(1).datatype = DataType::qcint8;
  g.per_channel(1, {1, 2}, 0);
  CHECK(of(g) == "DataError executorch: value 1: it has 2 scales for dimension 0 (3).");
  g = sum();
  g.tensor(0).dims = {2147483647, 3};
  g.tensor(0).num_dims = 2;
  CHECK(of(g).starts_with("DataError executorch: value 0: its elements are more than"));
}

TEST_CASE("executorch: nodes that are wrong", "[executorch]") {
  const auto table = [](GraphWriter& g) -> xnn::Node2x1T& {
    return *g.graph.xnodes[0]->node.AsAdd();
  };
  GraphWriter g = sum();
  table(g).input1_id = 7;
  CHECK(of(g) == add + "there is no value 7.");
  g = sum();
  table(g).input1_id = 2;
  CHECK(of(g) == add +
                     "value 2 is read before it is written: it is not a constant, and no earlier "
                     "node writes it.");
  g = sum();
  table(g).output_id = 1;
  CHECK(of(g) == add + "value 1 is written, but it is an input or a constant.");
  g = sum();
  g.binary(Kind::Add, 0, 1, 2);
  CHECK(of(g) == "DataError executorch: node 1 (Add): value 2 is written twice.");
  g = sum();
  table(g).flags = 1 << 20;
  CHECK(of(g) == "NotSupportedError executorch: node 0 (Add): its flags (1048576) are not known.");
  g = sum();
  g.limits(2, 1);
  CHECK(of(g) == add + "output_min (2) is not less than output_max (1).");
  g = sum();
  g.graph.xnodes.clear();
  CHECK(of(g) == "DataError executorch: value 2 is an output, but no node writes it.");
  g = sum();
  g.tensor(0).dims = {2};
  CHECK(of(g) == add + "add: the shapes of a ([2]) and b ([3]) do not broadcast.");
  g = sum();
  g.tensor(2).datatype = DataType::int32;
  CHECK(of(g) == add + "value 2 is int32, but the result is float32.");
}

TEST_CASE("executorch: memory is limited before it is allocated", "[executorch]") {
  GraphWriter g;
  const auto x = g.input({1000}),
             k = g.constant({1000}, DataType::bf16, bytes_of(std::vector<std::uint16_t>(1000, 0))),
             y = g.output({1000});
  g.binary(Kind::Add, x, k, y);
  CHECK(of(g, {.max_bytes = 4000}) == "nothing");
  CHECK(of(g, {.max_bytes = 3999}) == add +
                                          "value 1: memory for a constant of another type or "
                                          "alignment would exceed the limit of memory (3999) by "
                                          "1 bytes.");
}

TEST_CASE("executorch: any byte of a file may be any other", "[executorch]") {
  webnn::test::Random random(11);
  std::size_t accepted = 0;
  for (const Place place : {Place::behind_header, Place::under_keys}) {
    for (const Case& c : all_cases(place)) {
      const Bytes file = place == Place::under_keys ? program_of(c.graph) : c.graph.file();
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
  }
  CHECK(accepted > 500);
}
