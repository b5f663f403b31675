// Every pass, alone and with the others, keeps what a network computes.
#include <cmath>
#include <cstdlib>

#include "src/passes/passes.h"
#include "tests/passes/random_network.h"
#include "tests/support/catch.h"

using namespace webnn;

namespace {

using Values = std::vector<std::vector<float>>;

class Passes {
 public:
  explicit Passes(const std::string& setting) { setenv("WEBNN_PASSES", setting.c_str(), 1); }
  ~Passes() { unsetenv("WEBNN_PASSES"); }
};

/// Only that pass.
std::string only(std::string_view name) {
  std::string s;
  for (const Pass& p : all_passes())
    if (p.name != name) s += (s.empty() ? "-" : ",-") + std::string(p.name);
  return s;
}

Values run(MLContext& context, const std::string& setting, std::uint32_t seed, std::string& text) {
  const Passes passes(setting);
  MLGraphBuilder b(context);
  const NamedOperands outputs = test::RandomNetwork(b, seed).build(3 + static_cast<int>(seed % 25));
  const MLGraph g = b.build(outputs);
  text = to_text(g.graph()) + "became " + to_text(g.optimized());
  std::vector<float> x;
  if (!g.inputs().empty()) {
    x.resize(element_count(g.inputs()[0].descriptor.shape));
    std::mt19937 random(seed);
    for (float& v : x) v = static_cast<float>(random() % 2001) / 1000.f - 1.f;
  }
  Values y;
  std::vector<NamedInput> in;
  std::vector<NamedOutput> out;
  if (!x.empty()) in.push_back({"x", x});
  for (const auto& [name, d] : g.outputs()) y.emplace_back(element_count(d.shape));
  for (std::size_t i = 0; i < y.size(); ++i)
    out.push_back({g.outputs()[i].name, std::as_writable_bytes(std::span(y[i]))});
  context.compute(g, in, out);
  return y;
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

void check_setting(const std::string& setting, double tolerance, std::uint32_t seeds) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    std::string plain, text;
    const Values expected = run(context, "none", seed, plain);
    const Values y = run(context, setting, seed, text);
    INFO("WEBNN_PASSES=" << setting << " seed " << seed << "\n" << text);
    REQUIRE(difference(expected, y) <= tolerance);
  }
}

}  // namespace

// These do the same operations on the same values, some of them in another order of memory.
TEST_CASE("remove_identity keeps every bit") { check_setting(only("remove_identity"), 0, 80); }
TEST_CASE("fold_constants keeps every bit") { check_setting(only("fold_constants"), 0, 80); }
TEST_CASE("eliminate_common_subexpressions keeps every bit") {
  check_setting(only("eliminate_common_subexpressions"), 0, 80);
}
TEST_CASE("fold_padding keeps the values") { check_setting(only("fold_padding"), 2e-6, 80); }
TEST_CASE("layouts keeps the values") { check_setting(only("convert_to_nhwc"), 2e-6, 250); }
TEST_CASE("fold_into_weights keeps the values") {
  check_setting(only("fold_into_weights"), 2e-5, 120);
}
TEST_CASE("products keeps the values") { check_setting(only("matmul_to_gemm"), 2e-6, 120); }
TEST_CASE("fold_bias keeps the values") { check_setting(only("fold_bias"), 2e-6, 120); }
TEST_CASE("remove_redundant_reshapes keeps the values") {
  check_setting(only("remove_redundant_reshapes"), 2e-6, 120);
}
TEST_CASE("products, then fold_bias") {
  std::string s;
  for (const Pass& p : all_passes())
    if (p.name != "matmul_to_gemm" && p.name != "fold_bias")
      s += (s.empty() ? "-" : ",-") + std::string(p.name);
  check_setting(s, 2e-6, 120);
}
TEST_CASE("all passes together keep the values") { check_setting("", 2e-5, 250); }
