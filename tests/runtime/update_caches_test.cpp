// The caches of decoders from files, which are found by their names.
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

struct Caches {
  MLContext context;
  MLGraphBuilder b{context};
  NamedOperands inputs{}, outputs{};

  explicit Caches(std::uint32_t least = 0) {
    const MLDynamicDimension past{.name = "past rows", .minSize = least};
    const MLOperand fresh = add("fresh", {2u, "rows", 3u});
    for (const char* name : {"past_key_values.0.key", "past_key_values.0.value", "past_1"})
      outputs.push_back({"", b.concat({add(name, {2u, past, 3u}), fresh}, 1)});
    outputs[0].name = "present.0.key";
    outputs[1].name = "present.0.value";
    outputs[2].name = "present_1";
  }
  MLOperand add(const char* name, const MLDimensions& shape) {
    inputs.push_back({name, b.input(name, {float32, shape})});
    return inputs.back().operand;
  }
  std::uint32_t bound() const { return inputs[1].operand.dimensions()->at(1).dynamic().maxSize; }
  std::string refused(std::uint32_t size) {
    return thrown([&] { updateCaches(b, inputs, outputs, size); });
  }
};

}  // namespace

TEST_CASE("caches of files: the pairs, and their bound") {
  Caches c;
  c.add("unused past", {1u});
  CHECK(updateCaches(c.b, c.inputs, c.outputs, 7) ==
        std::vector<CacheNames>{{"past_key_values.0.key", "present.0.key"},
                                {"past_key_values.0.value", "present.0.value"},
                                {"past_1", "present_1"}});
  CHECK(c.bound() == 7);
  CHECK(c.refused(7) ==
        "TypeError update: the state \"past_key_values.0.key\" is declared already.");
  const MLGraph g = c.b.build(c.outputs);
  CHECK(stateCapacity(createState(g, "past_1")) == 7);
  CHECK(thrown([&] {
          g.computeShapes({{"fresh", {2, 1, 3}}, {"past_1", {2, 8, 3}}});
        }).find("not between 0 and 7") != std::string::npos);
  CHECK(c.refused(7) == "InvalidStateError updateCaches: the builder has already built a graph.");
}

TEST_CASE("caches of files: a bound of one row, and one that is there already") {
  Caches c;
  updateCaches(c.b, c.inputs, c.outputs, 1);
  const MLGraph g = c.b.build(c.outputs);
  CHECK(stateCapacity(createState(g, "past_1")) == 1);

  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand past =
      b.input("past", {float32, {MLDynamicDimension{.name = "rows", .minSize = 0, .maxSize = 5}}});
  const MLOperand present = b.concat({past, b.input("fresh", {float32, {1u}})}, 0);
  updateCaches(b, {{"past", past}}, {{"present", present}}, 9);
  CHECK(past.dimensions()->at(0).dynamic().maxSize == 5);
}

TEST_CASE("caches of files: what is refused leaves the builder as it was") {
  Caches c(3);
  CHECK(c.refused(2) ==
        "TypeError updateCaches: maxSize (2) is below the least size (3) of dimension \"past "
        "rows\".");
  const NamedOperands fresh{c.inputs[0]};
  CHECK(
      thrown([&] { updateCaches(c.b, fresh, c.outputs, 9); }) ==
      "TypeError updateCaches: no input has \"past\" in its name where an output has \"present\": "
      "the inputs are \"fresh\", the outputs \"present.0.key\", \"present.0.value\", "
      "\"present_1\".");
  CHECK(thrown([&] {
          updateCaches(c.b, {{"past_1", {}}}, c.outputs, 9);
        }) == "TypeError updateCaches: \"past_1\" is not an operand of this builder.");
  // The last pair is of two types:
  NamedOperands outputs = c.outputs;
  outputs[2].operand = c.b.cast(outputs[2].operand, float16);
  CHECK(thrown([&] {
          updateCaches(c.b, c.inputs, outputs, 9);
        }).find("TypeError update: state_out is float16") == 0);
  CHECK(c.bound() == MLDynamicDimension().maxSize);
  // No sizes up to the bound are right:
  const MLOperand rows = c.b.reshape(c.inputs[1].operand, {2, 20, 3});
  c.outputs.push_back({"rows", rows});
  CHECK(c.refused(9) ==
        "TypeError updateCaches: no sizes up to maxSize were found that all operators accept.");
  CHECK(c.bound() == MLDynamicDimension().maxSize);
  CHECK(updateCaches(c.b, c.inputs, c.outputs, 40).size() == 3);
  CHECK(c.bound() == 40);
  const MLGraph g = c.b.build(c.outputs);
  CHECK(createState(g, "past_1").shape() == Dims{2, 3, 3});
}
