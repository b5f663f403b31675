// Random sequences of prompts and steps over caches that grow, of random forms of attention.
#include "tests/runtime/growing_sequence.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::test::growing;
using webnn::test::Random;

TEST_CASE("states that grow: random sequences have the bits of static graphs") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Form form{.masked = random.uniform(0, 1) < 0.5,
                    .computed_mask = random.uniform(0, 1) < 0.2,
                    .columns = random.uniform(0, 1) < 0.3,
                    .cap = random.uniform(0, 1) < 0.1 ? 2.0 : 0.0};
    const MLContext context{{.threads = static_cast<int>(random.integer(1, 2))}};
    Sequence s{context, open_graph(context, form), form, seed * 100};
    for (std::uint32_t i = random.integer(3, 8); i > 0; --i) {
      const std::uint32_t most = random.uniform(0, 1) < 0.5 ? 4 : 60;
      const std::uint32_t rows = std::min(random.integer(1, most), bound - s.size());
      if (rows > 0) s.check(rows);
      if (random.uniform(0, 1) > 0.2) continue;
      const std::uint32_t kept = random.integer(0, s.size());
      resizeState(s.keys, kept);
      resizeState(s.values, kept);
      s.all_keys = part(s.all_keys, 0, kept);
      s.all_values = part(s.all_values, 0, kept);
    }
    CHECK(s.read(s.values) == s.all_values);
  }
}
