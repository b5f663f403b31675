#include "tests/support/kernel_case.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/guarded.h"
#include "tests/support/packed.h"

namespace webnn::inline v0_1::test {
namespace {

std::vector<Range> each_alone(int tiles, bool backwards) {
  std::vector<Range> r;
  for (int i = 0; i < tiles; ++i) {
    const int at = backwards ? tiles - 1 - i : i;
    r.push_back({at, at + 1});
  }
  return r;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

KernelCase::KernelCase(const Build& build, unsigned seed) {
  // The backends read constants that the passes of this build may have replaced.
  MLGraphBuilder b(MLContext({.threads = 1, .backends = {"reference"}, .keepConstants = true}));
  const MLOperand y = build(b);
  graph_ = b.build({{"y", y}});
  for (std::size_t i = 0; i < graph_.graph().size(); ++i) nodes_.push_back(graph_.graph().node(i));
  Random random(seed);
  std::vector<MLOperand> seen;
  for (const MLOperand& x : inputs_of(nodes_)) {
    std::size_t same = 0;
    while (same < seen.size() && !seen[same].is(x)) ++same;
    if (x.constant()) {
      const auto bytes = x.constant()->bytes();
      const auto* from = reinterpret_cast<const float*>(bytes.data());
      values_.emplace_back(from, from + bytes.size() / sizeof(float));
    } else if (same < seen.size()) {
      values_.push_back(values_[same]);
    } else {
      values_.push_back(random.floats(element_count(x.shape()), -2, 2));
    }
    seen.push_back(x);
  }
}

void KernelCase::set_special_values() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto operands = inputs_of(nodes_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (operands[k].constant()) continue;
    auto& v = values_[k];
    for (std::size_t i = k; i < v.size(); i += 37) {
      const auto payload = static_cast<std::uint32_t>(k * 1000 + i % 1000);
      v[i] = std::bit_cast<float>((i % 2 ? 0xffc00000u : 0x7fc00000u) | payload);
    }
    for (std::size_t i = 11 + k; i < v.size(); i += 61) v[i] = i % 2 ? infinity : -infinity;
  }
}

std::size_t KernelCase::output_size() const {
  return element_count(nodes_.back().output().shape());
}

std::vector<float> KernelCase::run(const Candidate& kernel, const std::vector<Range>& ranges,
                                   bool in_place) const {
  std::vector<Guarded> memory;
  std::vector<const std::byte*> inputs;
  for (const auto& v : values_) {
    memory.emplace_back(v.size() * sizeof(float));
    std::memcpy(memory.back().data(), v.data(), v.size() * sizeof(float));
    inputs.push_back(memory.back().data());
  }
  const std::size_t bytes = output_size() * sizeof(float);
  memory.emplace_back(bytes);
  std::byte* out = memory.back().data();
  if (in_place)
    out = const_cast<std::byte*>(inputs.at(static_cast<std::size_t>(kernel.in_place.at(0))));
  std::byte* const outputs[] = {out};
  const Guarded scratch((kernel.scratch + 63) / 64 * 64);
  const Packed packed(kernel, nodes_);
  for (Range r : ranges)
    kernel.run(r, {inputs, outputs, nullptr, 0, packed.weights()}, scratch.data());
  std::vector<float> result(output_size());
  std::memcpy(result.data(), out, bytes);
  return result;
}

std::vector<float> KernelCase::run_every_way(const Candidate& kernel) const {
  const int tiles = kernel.tiles;
  REQUIRE(tiles >= 1);
  const std::vector<float> all = run(kernel, {{0, tiles}});
  CHECK(same_bits(all, run(kernel, each_alone(tiles, false))));
  CHECK(same_bits(all, run(kernel, each_alone(tiles, true))));
  CHECK(same_bits(all, run(kernel, {{tiles / 3, tiles}, {0, tiles / 3}})));
  std::vector<float> elsewhere;
  std::thread([&] { elsewhere = run(kernel, {{0, tiles}}); }).join();
  CHECK(same_bits(all, elsewhere));
  if (!kernel.in_place.empty()) CHECK(same_bits(all, run(kernel, each_alone(tiles, false), true)));
  return all;
}

bool check_if_taken(const Backend& backend, const KernelCase& c) {
  Lowering l = c.lower(backend);
  if (const auto* refused = std::get_if<Refusal>(&l)) {
    CHECK_FALSE(refused->reason.empty());
    return false;
  }
  const Candidate& kernel = std::get<Candidate>(l);
  const std::vector<float> got = c.run_every_way(kernel);
  const std::vector<Exact> expected = exact(c);
  REQUIRE(got.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Exact& e = expected[i];
    const auto g = static_cast<double>(got[i]);
    const bool beyond = std::abs(e.value) > static_cast<double>(std::numeric_limits<float>::max());
    const bool same = std::isnan(e.value) ? std::isnan(g)
                      : beyond ? std::isinf(g) && std::signbit(g) == std::signbit(e.value)
                               : std::abs(g - e.value) <= e.error;
    if (!same && wrong++ < 3) {
      char text[128];
      std::snprintf(text, sizeof text, "[%zu]: %.9g, expected %.9g within %.3g", i, g, e.value,
                    e.error);
      FAIL_CHECK(kernel.name << text);
    }
  }
  CHECK(wrong == 0);
  return true;
}

void check(const Backend& backend, const KernelCase& c) {
  CAPTURE(refusal(backend, c));
  CHECK(check_if_taken(backend, c));
}

std::string refusal(const Backend& backend, const KernelCase& c) {
  const Lowering l = c.lower(backend);
  const auto* refused = std::get_if<Refusal>(&l);
  return refused ? refused->reason : "";
}

}  // namespace webnn::inline v0_1::test
