#include "src/runtime/custom.h"

#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/operators/operators.h"
#include "src/operators/own_operators.h"
#include "src/runtime/context_state.h"

namespace webnn::inline v0_1 {

void check_operators(const std::vector<std::shared_ptr<const CustomOperator>>& operators) {
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (!operators[i]) raise(fail("operators[{}] is null", i), "MLContext");
    const CustomOperator& o = *operators[i];
    if (const auto bad = check_definition(o))
      raise(fail("operators[{}]: {}", i, bad->message), "MLContext");
    if (o.name.starts_with(operators::domain))
      raise(fail("operators[{}] is {}, a name of the library's operators", i, in_quotes(o.name)),
            "MLContext");
    for (std::size_t k = 0; k < i; ++k)
      if (operators[k]->name == o.name && operators[k]->version == o.version)
        raise(fail("operators[{}] and operators[{}] are both {} of version {}", k, i,
                   in_quotes(o.name), o.version),
              "MLContext");
  }
}

const std::vector<std::shared_ptr<const CustomOperator>>& custom_operators(
    const MLContext& context) {
  return detail::state_of(context)->options.operators;
}

std::shared_ptr<const CustomOperator> find_custom_operator(const MLContext& context,
                                                           std::string_view name,
                                                           std::uint32_t version) {
  std::shared_ptr<const CustomOperator> found;
  for (const auto& o : custom_operators(context))
    if (o->name == name && (version == 0 || o->version == version))
      if (!found || found->version < o->version) found = o;
  return found ? found : operators::find(name, version);
}

std::vector<MLOperand> MLGraphBuilder::custom(std::string_view name, std::vector<MLOperand> inputs,
                                              CustomOptions options) {
  auto definition = find_custom_operator(context(), name);
  if (const auto why = operators::own_operators_left_out();
      why && !definition && name.starts_with(operators::domain))
    raise(*why, name, options.label);
  if (!definition)
    raise(fail("there is no operator {} among those of the context", in_quotes(name)), "custom",
          options.label);
  return custom(std::move(definition), std::move(inputs), std::move(options));
}

}  // namespace webnn::inline v0_1
