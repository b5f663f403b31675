// The Web Neural Network API for C++: https://www.w3.org/TR/webnn/
#pragma once

#include "webnn/context.h"
#include "webnn/error.h"
#include "webnn/graph.h"
#include "webnn/graph_builder.h"
#include "webnn/rules.h"
#include "webnn/support_limits.h"
#include "webnn/tensor.h"
#include "webnn/version.h"
