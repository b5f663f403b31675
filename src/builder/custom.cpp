// MLGraphBuilder::custom().
#include "src/graph/custom.h"
#include "src/builder/builder_state.h"
#include "src/graph/failure.h"
#include "src/operators/operators.h"
#include "src/operators/own_operators.h"

namespace webnn::inline v0_1 {

std::vector<MLOperand> MLGraphBuilder::custom(std::shared_ptr<const CustomOperator> definition,
                                              std::vector<MLOperand> inputs,
                                              CustomOptions options) {
  if (!definition) raise(fail("the definition is null"), "custom", options.label);
  if (const auto bad = check_definition(*definition)) raise(*bad, "custom", options.label);
  const bool of_library = definition->name.starts_with(operators::domain);
  if (of_library && !operators::is_of_library(definition)) {
    if (const auto why = operators::own_operators_left_out())
      raise(*why, definition->name, options.label);
    raise(fail("the name is one of the library's operators"), definition->name, options.label);
  }
  auto attributes = completed(*definition, std::move(options.attributes));
  if (!attributes) raise(attributes.failure(), definition->name, options.label);
  options.attributes = std::move(*attributes);
  ops::custom op{std::move(definition), std::move(inputs), std::move(options)};
  return append(kind_of<ops::custom>, &op);
}

}  // namespace webnn::inline v0_1
