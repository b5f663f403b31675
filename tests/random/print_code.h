// Graphs as the C++ that builds them.
#pragma once

#include "tests/random/compare.h"

namespace webnn::inline v0_1::test {

/// Statements that call the methods of an MLGraphBuilder `b`, and end with the declarations of
/// `const NamedOperands outputs` and of `const Inputs inputs`.
std::string code_of(const Case& c);

/// What printed code makes tensors from: elements in a C++ type of the size of the data type's, or
/// bytes.
template <class T> Tensor tensor_of(MLOperandDataType type, Dims shape, std::vector<T> elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return {type, std::move(shape), {bytes.begin(), bytes.end()}};
}

}  // namespace webnn::inline v0_1::test
