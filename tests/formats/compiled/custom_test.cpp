// Custom operators in compiled files.
#include <array>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/custom_operators.h"
#include "tests/support/thrown.h"
#include "webnn/compiled.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLContext context_with(std::vector<CustomPointer> operators) {
  return MLContext({.threads = 2, .keepConstants = true, .operators = std::move(operators)});
}

MLGraph built(const MLContext& context, bool open) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {open ? MLDimension("rows") : MLDimension(2), 4}});
  const MLOperand z =
      b.custom(scaled_sum(), {x}, {.attributes = {{"scale", 2}, {"mode", "\xff"}}})[0];
  return b.build({{"places", b.custom(top_k(), {b.relu(z)}, {.attributes = {{"k", 2}}})[1]}});
}

std::array<std::int32_t, 4> places(const MLContext& c, const MLGraph& graph) {
  MLContext context = c;
  const std::array<float, 8> in = {1, 4, 2, 3, 0, 9, 8, 7};
  std::array<std::int32_t, 4> out{};
  context.compute(graph, {{"x", in}}, {{"places", out}});
  return out;
}

MLGraph loaded(const MLContext& context, const std::vector<std::byte>& bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(bytes);
  return compiled::load(context, owner, *owner, {}, "custom");
}

}  // namespace

TEST_CASE("compiled: custom operators are those of the context that loads") {
  for (const bool open : {false, true}) {
    const MLContext context = context_with({top_k(), scaled_sum()});
    const MLGraph graph = built(context, open);
    const std::vector<std::byte> bytes = compiled::bytes_of(graph);
    const MLGraph again = loaded(context, bytes);
    CHECK(places(context, again) == std::array<std::int32_t, 4>{1, 3, 1, 2});
    CHECK(again.graph() == graph.graph());
    CHECK(compiled::bytes_of(again) == bytes);
    CHECK_THAT(thrown([&] { loaded(context_with({top_k()}), bytes); }),
               ContainsSubstring("it has the custom operator \"test.ScaledSum\" of version 3, "
                                 "which the option operators does not have"));
  }
}

TEST_CASE("compiled: a custom operator whose results are others") {
  const MLContext context = context_with({top_k(), scaled_sum()});
  const std::vector<std::byte> bytes = compiled::bytes_of(built(context, false));
  CustomOperator other = *scaled_sum();
  other.infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
    return {{float32, {1, c.inputs.at(0).shape.back()}}};
  };
  CHECK_THAT(
      thrown([&] {
        loaded(context_with({top_k(), custom_operator(other)}), bytes);
      }),
      ContainsSubstring("its infer() returns other results than when the graph was compiled"));
}

TEST_CASE("compiled: files with custom operators are described without them") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "webnn-custom-operator.webnnc").string();
  const MLContext context = context_with({top_k(), scaled_sum()});
  for (const bool open : {false, true}) {
    compiled::save(built(context, open), path, {.metadata = {{"key", "value"}}});
    CHECK(compiled::describe(path).metadata.at("key") == "value");
  }
  std::filesystem::remove(path);
}
