#include "src/lm/architectures/architectures.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::lm {

const Architecture& architecture_named(std::string_view name, std::string_view label) {
  for (const Architecture& a : architectures)
    if (a.name == name) return a;
  raise({"the architecture " + in_quotes(name) + " is not one of " +
             joined(architectures, ", ", &Architecture::name),
         ErrorName::NotSupportedError},
        "lm", label);
}

}  // namespace webnn::inline v0_1::lm
