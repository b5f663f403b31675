// An execution backend of the framework: parts of graphs run by libwebnn, through its C interface.
#pragma once

#include <memory>

#include "framework.h"

/// The runtime's threads run the parts, and its allocator has the memory of their results. Throws
/// std::runtime_error with the library's message.
std::unique_ptr<tiny::Backend> make_webnn_backend(tiny::Runtime runtime);
