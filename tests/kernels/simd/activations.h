// Activations in double precision, and how they are appended to a chain.
#pragma once

#include <cmath>

#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {

struct ActivationCase {
  const char* name;
  std::function<MLOperand(MLGraphBuilder&, MLOperand)> append;
  std::function<double(double)> value;
  double slope;
};

inline const std::vector<ActivationCase>& activations() {
  using B = MLGraphBuilder;
  using X = MLOperand;
  static const std::vector<ActivationCase> all{
      {"none", [](B&, X x) { return x; }, [](double v) { return v; }, 1},
      {"relu", [](B& b, X x) { return b.relu(x); }, [](double v) { return std::max(v, 0.0); }, 1},
      {"clamp", [](B& b, X x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 0.25}); },
       [](double v) { return std::clamp(v, -0.5, 0.25); }, 1},
      {"leakyRelu", [](B& b, X x) { return b.leakyRelu(x, {.alpha = 0.25}); },
       [](double v) { return v < 0 ? 0.25 * v : v; }, 1},
      {"elu", [](B& b, X x) { return b.elu(x, {.alpha = 0.5}); },
       [](double v) { return v < 0 ? 0.5 * std::expm1(v) : v; }, 1},
      {"hardSwish", [](B& b, X x) { return b.hardSwish(x); },
       [](double v) { return v * std::clamp(v + 3, 0.0, 6.0) / 6; }, 1.5},
      {"hardSigmoid", [](B& b, X x) { return b.hardSigmoid(x, {.alpha = 0.25, .beta = 0.5}); },
       [](double v) { return std::clamp(0.25 * v + 0.5, 0.0, 1.0); }, 1},
      {"sigmoid", [](B& b, X x) { return b.sigmoid(x); },
       [](double v) { return 1 / (1 + std::exp(-v)); }, 1},
      {"tanh", [](B& b, X x) { return b.tanh(x); }, [](double v) { return std::tanh(v); }, 1},
      {"gelu", [](B& b, X x) { return b.gelu(x); },
       [](double v) { return v * 0.5 * std::erfc(-v / std::sqrt(2.0)); }, 1.25},
      {"linear", [](B& b, X x) { return b.linear(x, {.alpha = -0.5, .beta = 1}); },
       [](double v) { return 1 - 0.5 * v; }, 4},
      {"swish", [](B& b, X x) { return b.mul(x, b.sigmoid(x)); },
       [](double v) { return v / (1 + std::exp(-v)); }, 1.1},
  };
  return all;
}

}  // namespace webnn::inline v0_1::test
