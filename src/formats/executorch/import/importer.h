// What all parts of one import share. Private.
#pragma once

#include "src/formats/common/budget.h"
#include "src/formats/executorch/import/source.h"
#include "webnn/executorch.h"

namespace webnn::inline v0_1::executorch {

struct Import {
  MLGraphBuilder builder;
  const Source& source;
  const ImportOptions& options;
  formats::Budget budget;
};

}  // namespace webnn::inline v0_1::executorch
