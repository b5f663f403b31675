// One operator of an oracle's graph.
#pragma once

#include "tests/random/noise.h"
#include "tests/random/oracle.h"

namespace webnn::inline v0_1::test {

/// An operator as its kernel sees it.
struct Oracle::Step {
  Node node;
  std::optional<Op> op;              // made of a node that computes narrow floats in float32
  std::vector<MLOperand> results{};  // those of op
  Candidate kernel{};
  std::vector<MLOperand> inputs{}, outputs{};  // operands of the graph
  std::vector<bool> rounded{};                 // inputs that are wide but read as narrow ones
  std::vector<OperandRounding> by_level{};     // what a kernel of an accuracy level does to inputs
  Noise noise{};
  bool rounds_quotients = false;  // quantizeLinear as other operators, which divide in floats
  bool identity = false;  // a cast to the same type, which passes may remove with its rounding
  std::uint64_t place = 0;

  std::vector<Tensor> compute(const std::vector<Tensor>& read) const;
};

/// An operand that is no part of a graph.
MLOperand lone_operand(MLOperandDataType type, Dims shape);

inline bool same_bits(const Tensor& a, const Tensor& b) { return a.bytes == b.bytes; }

}  // namespace webnn::inline v0_1::test
