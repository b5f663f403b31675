// Every operator of the importer against the outputs of the reference runtime.
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "src/kernels/backends.h"
#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "tests/support/tflite_runtime.h"

using namespace webnn;
using namespace webnn::tflite::test;

namespace {

/// Cases that the runtime of 2021, which gave the outputs, does not support, or supports in another
/// way than its successors: composed_outputs_test.cpp has the outputs.
const std::set<std::string> without_golden_output{"conv_without_bias",
                                                  "conv_groups",
                                                  "depthwise_hybrid",
                                                  "fully_connected_int8_per_channel",
                                                  "sign",
                                                  "relu_0_to_1",
                                                  "fake_quant_narrow"};

struct GoldenOutput {
  std::string type, shape;
  std::vector<double> values{};
};

/// By case, in the order of its outputs.
std::map<std::string, std::vector<GoldenOutput>> read_golden_outputs() {
  std::ifstream file(webnn::test::source_dir() / "tests/formats/tflite/golden_outputs.txt");
  std::map<std::string, std::vector<GoldenOutput>> all;
  for (std::string line; std::getline(file, line);) {
    const auto open = line.find('['), close = line.find(']');
    std::istringstream head(line.substr(0, open)), tail(line.substr(close + 1));
    std::string name;
    GoldenOutput a;
    head >> name >> a.type;
    a.shape = line.substr(open, close - open + 1);
    for (double v; tail >> v;) a.values.push_back(v);
    all[name].push_back(std::move(a));
  }
  return all;
}

std::string shape_text(const Dims& shape) {
  std::string out = "[";
  for (std::size_t d = 0; d < shape.size(); ++d) out += (d ? " " : "") + std::to_string(shape[d]);
  return out + "]";
}

/// How far a result may be from the golden output: quantized ones 1, floats 1e-5 of the value.
double allowed(const Case& c, std::size_t output, double expected, const Tensor& y) {
  if (webnn::is_float(y.type)) return 1e-5 * std::max(1.0, std::abs(expected));
  const auto& graph = *c.writer.model.subgraphs.front();
  const auto& t = graph.tensors[static_cast<std::size_t>(graph.outputs[output])];
  return t->quantization ? 1 : 0;
}

void compare(const Case& c, const std::vector<Tensor>& results,
             const std::vector<GoldenOutput>& golden) {
  REQUIRE(results.size() == golden.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Tensor& y = results[k];
    CHECK(std::string(name_of(y.type)) == golden[k].type);
    CHECK(shape_text(y.shape) == golden[k].shape);
    REQUIRE(y.size() == golden[k].values.size());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double expected = golden[k].values[i];
      const double excess = std::abs(y[i] - expected) - allowed(c, k, expected, y);
      if (!(excess <= worst)) {
        worst = excess;
        at = i;
      }
    }
    INFO("output " << k << " element " << at << ": " << y[at] << ", expected "
                   << golden[k].values[at]);
    CHECK(worst == 0);
  }
}

}  // namespace

// Writes golden_outputs.txt; with WEBNN_TFLITE_LIBRARY, by hand: tflite_tests "[.record]"
TEST_CASE("tflite: record the outputs of the reference runtime", "[.record]") {
  const auto* const runtime = webnn::test::TfliteRuntime::find();
  REQUIRE(runtime);
  std::ofstream file(webnn::test::source_dir() / "tests/formats/tflite/golden_outputs.txt");
  file.precision(9);
  for (Case& c : all_cases()) {
    if (without_golden_output.contains(c.name)) continue;
    INFO(c.name);
    const std::vector<Tensor> inputs = inputs_of(c);
    for (const Tensor& y : runtime->run(c.writer.file(), inputs)) {
      file << c.name << ' ' << name_of(y.type) << ' ' << shape_text(y.shape);
      for (std::size_t i = 0; i < y.size(); ++i) file << ' ' << y[i];
      file << '\n';
    }
  }
}

// With the arithmetic of src/kernels/simd/vector/int8/fixed_point.h, and tables.
TEST_CASE("tflite: integer kernels give the same bits", "[tflite]") {
  if (!simd_backend()) return;
  const auto golden = read_golden_outputs();
  const MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  for (const char* name : {"conv_uint8",
                           "conv_uint8_relu6",
                           "conv_int8_per_channel",
                           "conv_int8_valid_relu",
                           "conv_int8_large",
                           "depthwise_uint8",
                           "depthwise_int8",
                           "depthwise_int8_large",
                           "fully_connected_uint8",
                           "fully_connected_int8",
                           "add_int8_relu",
                           "add_uint8",
                           "sub_int8",
                           "sub_uint8",
                           "mul_int8",
                           "mul_uint8",
                           "average_pool_int8",
                           "average_pool_int8_relu6",
                           "average_pool_uint8",
                           "max_pool_int8",
                           "max_pool_uint8",
                           "mean_int8",
                           "relu_int8",
                           "relu6_uint8",
                           "leaky_relu_int8",
                           "quantize_requantizes",
                           "softmax_int8",
                           "softmax_uint8",
                           "logistic_int8",
                           "logistic_uint8",
                           "tanh_int8",
                           "elu_int8",
                           "hard_swish_int8",
                           "concatenation_requantizes"}) {
    INFO(name);
    Case c;
    REQUIRE_NOTHROW(c = case_named(name));
    const std::vector<Tensor> results = run(c.writer.file(), inputs_of(c), {}, context);
    std::vector<double> values(results.front().size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = results.front()[i];
    CHECK(values == golden.at(name).front().values);
  }
}

TEST_CASE("tflite: operators give the outputs of the reference runtime", "[tflite]") {
  const auto golden = read_golden_outputs();
  CHECK(golden.size() > 150);
  Cases cases = all_cases();
  for (Case& c : cases) {
    const auto found = golden.find(c.name);
    if (without_golden_output.contains(c.name)) continue;
    DYNAMIC_SECTION(c.name) {
      REQUIRE(found != golden.end());
      std::vector<Tensor> results;
      REQUIRE_NOTHROW(results = run(c.writer.file(), inputs_of(c)));
      compare(c, results, found->second);
    }
  }
  CHECK(cases.size() == golden.size() + without_golden_output.size());
}
