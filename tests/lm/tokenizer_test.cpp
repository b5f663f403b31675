#include "webnn/lm/tokenizer.h"

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::lm {
namespace {

TEST_CASE("tokenizer: a tiny one") {
  CHECK(test::thrown([] { Tokenizer::from_json("{}"); }) ==
        "DataError tokenizer: model is missing.");
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
