#include "tests/kernels/simd/support.h"

#include <hwy/highway.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <set>

#include "src/builder/builder_state.h"
#include "src/kernels/backends.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/passes/passes.h"
#include "tests/support/packed.h"
#include "tests/support/ulp.h"

namespace webnn::inline v0_1::test {

Guarded::Guarded(std::size_t n, bool tail) : n_(n) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inner = (n * sizeof(float) + page - 1) / page * page;
  bytes_ = inner + 2 * page;
  pages_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages_ != MAP_FAILED);
  auto* begin = static_cast<char*>(pages_) + page;
  if (inner > 0)  // qemu refuses no bytes
    REQUIRE(mprotect(begin, inner, PROT_READ | PROT_WRITE) == 0);
  data_ = reinterpret_cast<float*>(tail ? begin + inner - n * sizeof(float) : begin);
  std::fill_n(data_, n, std::nanf(""));
}
Guarded::~Guarded() { munmap(pages_, bytes_); }

ChainUnderTest::ChainUnderTest() : ChainUnderTest(simd_backend()) {}
ChainUnderTest::ChainUnderTest(std::shared_ptr<const Backend> simd)
    : b(MLContext({.threads = 1})), backend_(std::move(simd)) {
  REQUIRE(backend_);
}

std::vector<float> ChainUnderTest::random_values(const Dims& shape) {
  std::uniform_real_distribution<float> u(-1, 1);
  std::vector<float> v(element_count(shape));
  for (float& f : v) f = u(random);
  return v;
}

MLOperand ChainUnderTest::input(Dims shape) {
  auto values = random_values(shape);
  return input(std::move(shape), std::move(values));
}
MLOperand ChainUnderTest::input(Dims shape, std::vector<float> values) {
  const std::string name = "x" + std::to_string(inputs_.size());
  const MLOperand x = b.input(name, {float32, std::move(shape)});
  inputs_.emplace_back(name, known_.size());
  known_.push_back({x, std::move(values)});
  return x;
}

MLOperand ChainUnderTest::constant(Dims shape) {
  auto values = random_values(shape);
  const MLOperand x = b.constant({float32, std::move(shape)}, std::span<const float>(values));
  known_.push_back({x, std::move(values)});
  return x;
}

const std::vector<float>& ChainUnderTest::values(const MLOperand& x) const {
  for (const Value& v : known_)
    if (v.operand.is(x)) return v.values;
  FAIL("an operand without values");
  return known_.front().values;
}

std::vector<float> ChainUnderTest::values_of(const MLOperand& x) const {
  if (const Constant* c = x.constant()) {
    std::vector<float> all((c->bytes().size() + sizeof(float) - 1) / sizeof(float));
    std::memcpy(all.data(), c->bytes().data(), c->bytes().size());
    return all;
  }
  for (const auto& [name, index] : inputs_)
    if (name == x.record().name) return known_[index].values;
  FAIL("an operand without values");
  return {};
}

Lowering ChainUnderTest::lower(const MLOperand& y) {
  const Graph written = graph_of(copy(detail::state_of(b)->data, {{"y", y}}));
  graph_ = std::make_unique<Graph>(recognize_rotary_embedding(
      recognize_rms_normalization(recognize_swish(recognize_attention(written)))));
  std::vector<Node> chain;
  for (std::size_t i = 0; i < graph_->size(); ++i) chain.push_back(graph_->node(i));
  return backend_->lower(chain);
}

std::vector<float> ChainUnderTest::run(const Candidate& k, Chain chain,
                                       const std::vector<Range>& ranges, bool tail, int in_place,
                                       std::size_t gap) {
  std::vector<std::unique_ptr<Guarded>> memory;
  std::vector<const std::byte*> inputs;
  for (const MLOperand& x : inputs_of(chain)) {
    const std::vector<float> values = values_of(x);
    memory.push_back(std::make_unique<Guarded>(values.size(), tail));
    std::copy(values.begin(), values.end(), memory.back()->data());
    inputs.push_back(reinterpret_cast<const std::byte*>(memory.back()->data()));
  }
  const std::size_t count = element_count(chain.back().output().shape()), row = gap ? k.row : count,
                    pitch = row + gap, rows = count / row;
  Guarded own((rows - 1) * pitch + row, tail);
  std::fill_n(own.data(), own.size(), std::nanf(""));
  Guarded& result = in_place < 0 ? own : *memory[static_cast<std::size_t>(in_place)];
  std::byte* output = reinterpret_cast<std::byte*>(result.data());
  const Packed packed(k, chain);
  Guarded scratch((k.scratch + 63) / 64 * 16, true), shared((k.shared + 63) / 64 * 16, true);
  for (int round = 0; round < k.rounds; ++round)
    for (const Range& r : ranges) {
      std::fill_n(scratch.data(), scratch.size(), std::nanf(""));
      k.run({r.begin, r.end, round},
            {inputs,
             {&output, 1},
             reinterpret_cast<std::byte*>(shared.data()),
             gap ? pitch : 0,
             packed.weights()},
            reinterpret_cast<std::byte*>(scratch.data()));
    }
  if (!gap) return result.values();
  std::vector<float> together;
  std::size_t written = 0;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (i % pitch < row) together.push_back(own.data()[i]);
    else written += !std::isnan(own.data()[i]);
  CHECK(written == 0);
  return together;
}

std::vector<float> ChainUnderTest::run(const MLOperand& y) {
  Lowering lowering = lower(y);
  if (const auto* refusal = std::get_if<Refusal>(&lowering)) FAIL("refused: " << refusal->reason);
  const Candidate& k = std::get<Candidate>(lowering);
  kernel = k.name;
  REQUIRE(k.tiles >= 1);
  std::vector<Node> chain;
  for (std::size_t i = 0; i < graph_->size(); ++i) chain.push_back(graph_->node(i));
  const std::vector<float> all = run(k, chain, {{0, k.tiles}}, true, -1);
  std::vector<Range> single, parts;
  for (int i = k.tiles; i-- > 0;) single.push_back({i, i + 1});
  for (int i = 0; i < k.tiles;) {
    const int n = std::min(k.tiles - i, 1 + static_cast<int>(random() % 5));
    parts.push_back({i, i + n});
    i += n;
  }
  const auto same = [&](const std::vector<float>& other) {
    return other.size() == all.size() &&
           std::memcmp(other.data(), all.data(), all.size() * sizeof(float)) == 0;
  };
  CHECK(same(run(k, chain, {{0, k.tiles}}, false, -1)));
  CHECK(same(run(k, chain, single, true, -1)));
  CHECK(same(run(k, chain, parts, false, -1)));
  for (int i : k.in_place) CHECK(same(run(k, chain, parts, true, i)));
  if (k.row == 0) return all;
  REQUIRE(all.size() % k.row == 0);
  for (std::size_t gap : {1, 48}) CHECK(same(run(k, chain, parts, gap == 1, -1, gap)));
  return all;
}

void for_targets(const std::function<void()>& f) {
  std::set<std::string> seen;
  hwy::SetSupportedTargetsForTest(0);
  const auto all = hwy::SupportedTargets();
  using Targets = std::decay_t<decltype(all)>;
  for (Targets rest = all; rest; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & ~(rest - 1));
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (!simd::has_target()) continue;
    const std::string name = simd::target();
    if (simd::lanes() < 4 || !seen.insert(name).second) continue;
    INFO(name);
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

float broadcast(const std::vector<float>& values, const Dims& from, const Dims& shape,
                std::size_t i) {
  std::size_t at = 0, step = 1;
  for (std::size_t d = shape.size(), s = from.size(); s-- > 0;) {
    --d;
    std::size_t place = i;
    for (std::size_t k = shape.size(); k-- > d + 1;) place /= shape[k];
    if (from[s] != 1) at += place % shape[d] * step;
    step *= from[s];
  }
  return values[at];
}

void check_near(float y, const Sum& sum, const std::function<double(double)>& f, double slope) {
  const double expected = f ? f(sum.value) : sum.value;
  const double error = sum.error() * slope + 4 * 0x1p-23 * std::abs(expected) + 0x1p-149;
  if (std::abs(y - expected) <= error) return;
  CHECK(y == expected);
  FAIL("an error of " << std::abs(y - expected) << ", more than " << error);
}
void check_ulp(float y, double expected, double ulp) {
  if (ulp_distance(y, static_cast<float>(expected)) <= ulp) return;
  FAIL(y << " for " << expected);
}

}  // namespace webnn::inline v0_1::test
