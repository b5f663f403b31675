// The results of two graphs, compared operator by operator.
#pragma once

#include <algorithm>

#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/model/execute.h"

namespace webnn::inline v0_1::tool {

struct CompareOptions {
  std::optional<double> tolerance{}, cosine{};
  bool every = false;       ///< also where looking keeps integer kernels from running
  bool each = false;        ///< every operator of the other side on the inputs of the first
  bool same_model = false;  ///< both sides have the same operators
};
/// Where a float model is compared with its quantized counterpart.
inline constexpr double default_cosine = 0.99;

/// In how many of the rows of a result, along its last dimension, the largest element is at the
/// same place.
struct SameLargest {
  std::size_t rows = 0, same = 0;
};

struct Compared {
  std::string name{}, op{};
  MLOperandDescriptor descriptor{};
  Distances distances{};
  Verdict verdict{};
  Similarity similarity{};
  SameLargest largest{};       ///< of an output of floats with more than one element in a row
  bool same_constants = true;  ///< constants before the result are the same on both sides
};

struct Comparison {
  std::vector<Compared> outputs{}, operators{};
  /// Where growth decided: every operator of the other side on the inputs of the first, so that
  /// what operators before could have caused does not hide what one does.
  std::vector<Compared> alone{};
  std::size_t left_out = 0;    ///< results that were not compared
  bool by_cosine = false;      ///< a float model and its quantized counterpart
  bool outputs_alone = false;  ///< a side is a compiled graph, whose weights are packed
  bool outputs_agree() const {
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const Compared& c) { return c.verdict.agrees; });
  }
  /// The first operator whose results differ. Between a float model and its counterpart, whose
  /// operators are not the same, only when outputs do.
  const Compared* first() const {
    if (by_cosine && outputs_agree()) return nullptr;
    for (const auto* all : {&operators, &alone})
      for (const Compared& c : *all)
        if (!c.verdict.agrees) return &c;
    return nullptr;
  }
  bool agrees() const { return outputs_agree() && !first(); }
};

struct Side {
  MLContext context;
  MLGraph compiled;
  Feeds feeds;
  std::vector<std::optional<Quantization>> quantization;  ///< those of the outputs
  bool is_compiled = false;                               ///< the file is a compiled graph
};

/// A result that differs by more than one operator may is measured by what one unit of each
/// quantized operator grows to (growth.h), unless a tolerance is given; then each operator is also
/// compared by itself. Operators that differ only in their constants are compared when outputs
/// differ.
Comparison compare(const Side& a, const Side& b, const CompareOptions& options);

}  // namespace webnn::inline v0_1::tool
