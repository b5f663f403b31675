// Every case of the operators with open dimensions: one import computes at all sizes the bits of
// the model that is imported with these sizes.
#include <algorithm>
#include <cmath>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"
#include "tests/support/compute.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::tflite::test;

namespace {

struct Place {
  std::size_t input, dimension;
};

/// The dimensions of inputs that are not constants.
std::vector<Place> places_of(Case& c) {
  std::vector<Place> all;
  const auto& inputs = c.writer.graph().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t d = 0; d < c.writer.tensor(inputs[i]).shape.size(); ++d) all.push_back({i, d});
  return all;
}

void open(Case& c, const std::vector<Place>& places) {
  for (const int i : c.writer.graph().inputs)
    c.writer.tensor(i).shape_signature = c.writer.tensor(i).shape;
  for (const auto& [input, d] : places)
    c.writer.tensor(c.writer.graph().inputs[input]).shape_signature[d] = -1;
}

/// Values for the inputs with `more` elements along the open dimensions.
std::vector<Tensor> values_for(Case& c, std::vector<Tensor> inputs,
                               const std::vector<Place>& places, std::uint32_t more) {
  if (more == 0) return inputs;
  webnn::test::Random random(11 + more);
  for (const auto& [input, d] : places) inputs[input].shape[d] += more;
  for (Tensor& x : inputs) {
    const bool is_float = webnn::is_float(x.type);
    const double low = is_float ? c.low : std::max(c.low, webnn::test::lowest_of(x.type));
    const double high = is_float ? c.high : std::min(c.high, webnn::test::highest_of(x.type));
    x = random.tensor(x.type, x.shape, low, high);
  }
  return inputs;
}

/// Nothing for sizes that are refused.
using Outputs = std::optional<std::vector<Tensor>>;

Outputs with_sizes(const std::vector<std::byte>& file, const NamedOperands& inputs,
                   const std::vector<Tensor>& values, std::string& message) {
  tflite::ImportOptions o;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    o.shapes[inputs[i].name] = {values[i].shape.begin(), values[i].shape.end()};
  try {
    return run(file, values, o);
  } catch (const Error& e) {
    message = e.what();
    return std::nullopt;
  }
}

Outputs at_sizes(MLContext context, const MLGraph& graph, const NamedOperands& inputs,
                 const std::vector<Tensor>& values, std::string& message) {
  std::vector<NamedInput> in;
  std::vector<NamedShape> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    in.push_back({inputs[i].name, values[i].shape.empty()
                                      ? InputView(values[i].bytes)
                                      : InputView(values[i].bytes, values[i].shape)});
    shapes.push_back({inputs[i].name, values[i].shape});
  }
  try {
    std::vector<Tensor> results;
    std::vector<NamedOutput> out;
    for (const auto& [name, d] : graph.computeShapes(shapes))
      results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
    for (std::size_t i = 0; i < results.size(); ++i)
      out.push_back({graph.outputs()[i].name, results[i].bytes});
    context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
    return results;
  } catch (const Error& e) {
    message = e.what();
    return std::nullopt;
  }
}

struct Counts {
  std::size_t runs = 0, refused_runs = 0, refused_imports = 0;
};

void check(Case& c, const std::vector<Place>& places, Counts& counts) {
  const std::vector<Tensor> first = inputs_of(c);
  open(c, places);
  const auto file = c.writer.file();
  std::string opened;
  for (const auto& [input, d] : places)
    opened += " " + std::to_string(input) + "." + std::to_string(d);
  INFO(c.name << " with the open dimensions" << opened);
  const MLContext context = webnn::test::plain_context();
  MLGraphBuilder b(context);
  tflite::Model m;
  try {
    m = tflite::import_model(b, file);
  } catch (const Error& e) {
    // Where a size has to be known, the message says which and what to do.
    INFO(e.what());
    CHECK(e.name() == ErrorName::NotSupportedError);
    CHECK(std::string(e.what()).find("give a size in the option dimensions") != std::string::npos);
    ++counts.refused_imports;
    return;
  }
  const MLGraph graph = b.build(m.outputs, {.inputs = m.inputs});
  for (const std::uint32_t more : {0u, 1u, 2u, 6u, 0u}) {
    const auto values = values_for(c, first, places, more);
    std::string of_static, of_open;
    const Outputs expected = with_sizes(file, m.inputs, values, of_static);
    const Outputs results = at_sizes(context, graph, m.inputs, values, of_open);
    INFO(more << " more; with sizes: " << of_static << "; open: " << of_open);
    REQUIRE(expected.has_value() == results.has_value());
    if (!expected) {
      ++counts.refused_runs;
      continue;
    }
    ++counts.runs;
    REQUIRE(results->size() == expected->size());
    for (std::size_t i = 0; i < results->size(); ++i) {
      CHECK((*results)[i].shape == (*expected)[i].shape);
      if (!c.name.starts_with("transpose_conv")) {
        CHECK((*results)[i].bytes == (*expected)[i].bytes);
        continue;
      }
      // With an open size the bias is added behind the sum.
      for (std::size_t k = 0; k < (*results)[i].size(); ++k)
        CHECK(std::abs((*results)[i][k] - (*expected)[i][k]) <= 1e-5);
    }
  }
}

}  // namespace

TEST_CASE("tflite: open dimensions: every case computes the bits of its sizes") {
  Counts counts;
  for (Case& c : all_cases()) {
    const std::vector<Place> places = places_of(c);
    for (const Place& place : places) check(c, {place}, counts);
    if (places.size() > 1) check(c, places, counts);
  }
  CAPTURE(counts.runs, counts.refused_runs, counts.refused_imports);
  CHECK(counts.runs > 5000);
  CHECK(counts.refused_imports < 120);
}
