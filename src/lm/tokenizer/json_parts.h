// The parts of a tokenizer.json. Private.
#pragma once

#include "src/lm/tokenizer/contents.h"
#include "src/lm/tokenizer/json_fields.h"

namespace webnn::inline v0_1::lm {

// Throw DataError for a part that is broken, NotSupportedError for one of another type.

Normalizer read_normalizer(const Fields& part);
PreTokenizer read_pre_tokenizer(const Fields& part);
std::vector<DecodeStep> read_decoder(const Fields& part);

[[noreturn]] inline void refuse_type(const Fields& part) {
  part.refuse("the type " + in_quotes(part.text("type")) + " is not supported",
              ErrorName::NotSupportedError);
}
/// A failure becomes an error that says where it is.
template <class T> T value_or_refuse(Result<T> result, const Fields& part) {
  if (!result) part.refuse(result.failure().message);
  return std::move(*result);
}

}  // namespace webnn::inline v0_1::lm
