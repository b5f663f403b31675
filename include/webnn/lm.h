// Language models: all of webnn/lm/.
#pragma once

#include "webnn/lm/tokenizer.h"  // IWYU pragma: export
