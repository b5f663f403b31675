// A random model through a file.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/lm/model/random_model.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_file.h"
#include "webnn/lm/model.h"

namespace webnn::inline v0_1::lm {

using Tokens = std::vector<Token>;

inline Model load_bytes(const gguf::Bytes& bytes, const LoadOptions& options = {}) {
  const test::TemporaryFile file;
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return load(MLContext(), file.path, options);
}
inline Model load_random(const RandomModel& m, const LoadOptions& options = {}) {
  return load_bytes(m.bytes(), options);
}

inline Tokens random_tokens(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tokens tokens(n);
  for (Token& t : tokens) t = static_cast<Token>(3 + random() % 509);
  return tokens;
}

/// The largest difference of logits, of the largest of them.
inline double difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(double{a[i]} - double{b[i]}));
    largest = std::max(largest, std::abs(double{a[i]}));
  }
  return worst / largest;
}

/// Takes a fraction of the time of the usual one.
inline ModelForm small_form() {
  return {.width = 64, .heads = 2, .keyHeads = 1, .headSize = 32, .inner = 96};
}

}  // namespace webnn::inline v0_1::lm
