#include "src/formats/executorch/schema.h"

namespace webnn::inline v0_1::executorch {

std::string_view name_of_kind(xnn::NodeUnion kind) {
  const char* name = xnn::EnumNameNodeUnion(kind);
  return *name ? name : "a kind that is not known";
}

}  // namespace webnn::inline v0_1::executorch
