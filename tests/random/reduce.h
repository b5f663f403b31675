// Makes a case that fails smaller.
#pragma once

#include "tests/random/rebuild.h"

namespace webnn::inline v0_1::test {

/// A case that still fails in that way, from which nothing more can be left out; attempts are
/// limited. The mismatch becomes that of the smaller case.
Case reduced(Comparison& comparison, const Case& c, Mismatch& mismatch);

}  // namespace webnn::inline v0_1::test
