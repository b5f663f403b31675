// The results of two graphs, compared operator by operator.
#pragma once

#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/model/execute.h"

namespace webnn::inline v0_1::tool {

struct CompareOptions {
  std::optional<double> tolerance{}, cosine{};
  bool every = false;  ///< also where looking keeps integer kernels from running
  bool each = false;   ///< every operator of the other side on the inputs of the first
};
/// Where a float model is compared with its quantized counterpart.
inline constexpr double default_cosine = 0.99;

struct Compared {
  std::string name{}, op{};
  MLOperandDescriptor descriptor{};
  Distances distances{};
  Verdict verdict{};
  Similarity similarity{};
};

struct Comparison {
  std::vector<Compared> outputs{}, operators{};
  std::size_t left_out = 0;    ///< results that were not compared
  bool by_cosine = false;      ///< a float model and its quantized counterpart
  bool outputs_alone = false;  ///< a side is a compiled graph, whose weights are packed
  const Compared* first() const {
    for (const Compared& c : operators)
      if (!c.verdict.agrees) return &c;
    return nullptr;
  }
  bool agrees() const {
    bool all = first() == nullptr;
    for (const Compared& c : outputs) all = all && c.verdict.agrees;
    return all;
  }
};

struct Side {
  MLContext context;
  MLGraph compiled;
  Feeds feeds;
  std::vector<std::optional<Quantization>> quantization;  ///< those of the outputs
  bool is_compiled = false;                               ///< the file is a compiled graph
};

Comparison compare(const Side& a, const Side& b, const CompareOptions& options);

}  // namespace webnn::inline v0_1::tool
