// Custom operators in graphs: what is known of a node that is one. Private.
#pragma once

#include "src/graph/op.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1 {

/// Why a definition is none; nothing if it is one.
std::optional<Failure> check_definition(const CustomOperator& definition);

/// All attributes of an operator in its order: those given, in the types of their defaults, and the
/// defaults of the others.
Result<CustomAttributes> completed(const CustomOperator& definition, CustomAttributes given);
/// Those that differ from their defaults.
CustomAttributes given_attributes(const ops::custom& op);
/// As to_text() prints it: `5`, `"linear"`, `[0.5, 1]`.
std::string text_of(const CustomValue& value);

/// What the functions of the operator see. Its results are described by `outputs`.
CustomCall call_of(const ops::custom& op, std::span<const MLOperand> outputs = {});
/// What its infer() says, or why it refuses; nothing that it throws gets out, but std::bad_alloc.
/// The descriptors are not checked.
Result<std::vector<MLOperandDescriptor>> inferred_results(const ops::custom& op);
Result<std::vector<MLOperandDescriptor>> inferred_results(const CustomOperator& definition,
                                                          const CustomCall& call);
/// Whether infer() of a custom operator is running on this thread.
bool is_inferring();

/// Whether equal operands always give equal results: all operators are so, but some custom ones.
bool is_pure(std::size_t kind, const void* op);
inline bool is_pure(const Op& op) { return is_pure(op.kind(), op.get()); }

}  // namespace webnn::inline v0_1
