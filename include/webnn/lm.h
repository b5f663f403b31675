// Language models: all of webnn/lm/.
#pragma once

#include "webnn/lm/batch.h"          // IWYU pragma: export
#include "webnn/lm/cache.h"          // IWYU pragma: export
#include "webnn/lm/chat_template.h"  // IWYU pragma: export
#include "webnn/lm/generation.h"     // IWYU pragma: export
#include "webnn/lm/grammar.h"        // IWYU pragma: export
#include "webnn/lm/model.h"          // IWYU pragma: export
#include "webnn/lm/sampling.h"       // IWYU pragma: export
#include "webnn/lm/tokenizer.h"      // IWYU pragma: export
