// Every pass, alone and with the others, keeps what a network computes.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "src/graph/text.h"
#include "src/passes/passes.h"
#include "tests/passes/random_network.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/float16.h"

using namespace webnn;

namespace {

using Values = std::vector<std::vector<float>>;
using test::NetworkOptions;

class Passes {
 public:
  explicit Passes(const std::string& setting) { setenv("WEBNN_PASSES", setting.c_str(), 1); }
  ~Passes() { unsetenv("WEBNN_PASSES"); }
};

/// Each name once, in the order in which the passes run first.
std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const Pass& p : all_passes())
    if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
  return names;
}

/// No passes but these.
std::string only(std::initializer_list<std::string_view> kept) {
  std::vector<std::string> off;
  for (std::string_view name : pass_names())
    if (std::find(kept.begin(), kept.end(), name) == kept.end())
      off.push_back('-' + std::string(name));
  return joined(off, ",");
}

std::vector<float> values_of(MLOperandDataType type, std::span<const std::byte> bytes) {
  std::vector<float> y(bytes.size() / static_cast<std::size_t>(bits_of(type) / 8));
  if (type != float16) {
    std::memcpy(y.data(), bytes.data(), bytes.size());
    return y;
  }
  std::vector<Float16> narrow(y.size());
  std::memcpy(narrow.data(), bytes.data(), bytes.size());
  std::copy(narrow.begin(), narrow.end(), y.begin());
  return y;
}

/// On an input of float16 values.
Values run(MLContext& context, const std::string& setting, std::uint32_t seed,
           const NetworkOptions& options, std::string& text) {
  const Passes passes(setting);
  MLGraphBuilder b(context);
  const NamedOperands outputs =
      test::RandomNetwork(b, seed, options).build(3 + static_cast<int>(seed % 25));
  const MLGraph g = b.build(outputs);
  text = to_text(g.graph()) + "became " + to_text(g.optimized());
  std::vector<Float16> narrow;
  if (!g.inputs().empty()) {
    narrow.resize(element_count(g.inputs()[0].descriptor.shape));
    std::mt19937 random(seed);
    for (Float16& v : narrow) v = Float16(static_cast<float>(random() % 2001) / 1000.f - 1.f);
  }
  const std::vector<float> wide(narrow.begin(), narrow.end());
  std::vector<std::vector<std::byte>> y;
  std::vector<NamedInput> in;
  std::vector<NamedOutput> out;
  if (!narrow.empty())
    in.push_back({"x", options.type == float16 ? InputView(narrow) : InputView(wide)});
  for (const auto& [name, d] : g.outputs()) y.emplace_back(byte_length(d));
  for (std::size_t i = 0; i < y.size(); ++i) out.push_back({g.outputs()[i].name, y[i]});
  context.compute(g, in, out);
  Values values;
  for (std::size_t i = 0; i < y.size(); ++i)
    values.push_back(values_of(g.outputs()[i].descriptor.dataType, y[i]));
  return values;
}

/// The largest difference relative to the largest value of the same output; int32 outputs are
/// compared bit for bit.
double difference(const Values& a, const Values& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    REQUIRE(a[k].size() == b[k].size());
    double largest = 1e-3, apart = 0;
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      if (std::bit_cast<std::uint32_t>(a[k][i]) == std::bit_cast<std::uint32_t>(b[k][i])) continue;
      if (std::isnan(a[k][i]) && std::isnan(b[k][i])) continue;
      const double d = std::abs(static_cast<double>(a[k][i]) - static_cast<double>(b[k][i]));
      if (!(d <= apart)) apart = d;
    }
    for (float v : a[k])
      if (std::isfinite(v)) largest = std::max(largest, static_cast<double>(std::abs(v)));
    if (!(apart / largest <= worst)) worst = apart / largest;
  }
  return worst;
}

/// A way to run a random network.
struct Way {
  std::string setting = "none";  ///< the value of WEBNN_PASSES
  NetworkOptions options{};
};

void compare(const Way& expected, const Way& tested, double tolerance, std::uint32_t seeds) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    std::string plain, text;
    const Values a = run(context, expected.setting, seed, expected.options, plain);
    const Values b = run(context, tested.setting, seed, tested.options, text);
    INFO("WEBNN_PASSES=" << tested.setting << " seed " << seed << "\n" << text);
    REQUIRE(difference(a, b) <= tolerance);
  }
}
void check_setting(const std::string& setting, double tolerance, std::uint32_t seeds) {
  compare({}, {setting}, tolerance, seeds);
}

/// How far results may be apart after a pass that does the same operations in another order, and
/// how many networks it is tried on. 0: not at all.
struct Expected {
  double tolerance;
  std::uint32_t seeds;
};
const std::map<std::string_view, Expected> expected_of = {
    {"remove_identity", {0, 80}},
    {"narrow_to_float32", {0, 80}},  // float32 networks; the others have a test of their own
    {"fold_constants", {0, 80}},
    {"eliminate_common_subexpressions", {0, 80}},
    {"concat_to_scatter", {0, 80}},
    {"recognize_layer_normalization", {2e-6, 80}},
    {"recognize_activations", {2e-6, 80}},
    {"recognize_softmax", {2e-6, 80}},
    {"move_quantization", {0, 80}},
    {"move_reshapes", {0, 80}},
    {"fold_padding", {2e-6, 80}},
    {"crop_kernels", {2e-6, 80}},
    {"fold_into_weights", {2e-5, 120}},
    {"matmul_to_gemm", {2e-6, 120}},
    {"fold_bias", {2e-6, 120}},
    {"convert_to_nhwc", {2e-6, 250}},
    {"remove_redundant_reshapes", {2e-6, 120}},
    {"small_weights", {2e-6, 80}},
    {"recognize_dynamic_quantization", {0, 40}},
    {"recognize_attention", {0, 80}},
    {"recognize_rms_normalization", {0, 80}},
    {"recognize_rotary_embedding", {0, 80}},
    {"recognize_swish", {0, 80}},
    {"recognize_quantized_operators", {0, 80}},
};

// Half a unit of the last place of a float16 value, relative to it.
constexpr double float16_rounding = 0x1p-11;

}  // namespace

TEST_CASE("every pass has a tolerance here, and every tolerance a pass") {
  const auto names = pass_names();
  CHECK(names.size() == expected_of.size());
  for (std::string_view name : names) {
    INFO(name);
    CHECK(expected_of.count(name) == 1);
  }
}

TEST_CASE("every pass alone keeps the values") {
  for (std::string_view name : pass_names()) {
    INFO(name);
    const auto [tolerance, seeds] = expected_of.at(name);
    check_setting(only({name}), tolerance, seeds);
  }
}

TEST_CASE("passes that keep every bit do so in float16 and in quantized networks") {
  for (std::string_view name : pass_names()) {
    if (expected_of.at(name).tolerance > 0) continue;
    INFO(name);
    const NetworkOptions quantized{.quantized = true};
    compare({"none", quantized}, {only({name}), quantized}, 0, 80);
    if (name == "narrow_to_float32") continue;
    const NetworkOptions narrow{.type = float16};
    compare({"none", narrow}, {only({name}), narrow}, 0, 80);
  }
}

TEST_CASE("move_quantization moves something in quantized networks") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  int changed = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    MLGraphBuilder b(context);
    const Passes passes(only({"move_quantization"}));
    const NamedOperands outputs = test::RandomNetwork(b, seed, {.quantized = true}).build(8);
    const MLGraph g = b.build(outputs);
    changed += !(g.graph() == g.optimized());
  }
  CHECK(changed >= 10);
}

TEST_CASE("narrow_to_float32 computes as in float32 and rounds at the end") {
  const NetworkOptions narrow{.type = float16, .exact_in_float16 = true, .decisions = false};
  const NetworkOptions wide{.type = float32, .exact_in_float16 = true, .decisions = false};
  compare({"none", wide}, {only({"narrow_to_float32"}), narrow}, 1.01 * float16_rounding, 120);
}

TEST_CASE("matmul_to_gemm, then fold_bias") {
  check_setting(only({"matmul_to_gemm", "fold_bias"}), 2e-6, 120);
}

TEST_CASE("all passes together keep the values") {
  check_setting("", 2e-5, 250);
  const NetworkOptions narrow{.type = float16, .exact_in_float16 = true, .decisions = false};
  const NetworkOptions wide{.type = float32, .exact_in_float16 = true, .decisions = false};
  compare({"none", wide}, {"", narrow}, 1.01 * float16_rounding + 2e-5, 250);
}

TEST_CASE("a wrong name in WEBNN_PASSES") {
  const MLContext context({.threads = 1, .backends = {"reference"}});
  const auto built_with = [&](const std::string& setting) {
    const Passes passes(setting);
    MLGraphBuilder b(context);
    return test::thrown([&] { b.build({{"y", b.relu(b.input("x", {float32, {2}}))}}); });
  };
  const auto refused = [](const std::string& item) {
    return "TypeError build: WEBNN_PASSES: \"" + item +
           "\" is not \"none\" or \"-\" with the name of a pass: " + joined(pass_names()) + ".";
  };
  CHECK(built_with("-layuots") == refused("-layuots"));
  CHECK(built_with("-fold_bias,fold_padding") == refused("fold_padding"));
  CHECK(built_with("-fold_bias,none") == refused("none"));
  CHECK(built_with("-") == refused("-"));
  CHECK(built_with("-fold_bias,-\n") == refused("-\\u000a"));
  for (const std::string setting : {"", "none", "-fold_bias", "-fold_bias, -fold_padding,"})
    CHECK(built_with(setting) == "nothing");
}
