#include "src/formats/common/failures.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {

Failure failure_of(const Error& e, std::string_view format) {
  const bool of_the_file = e.name() == ErrorName::TypeError || e.name() == ErrorName::UnknownError;
  const ErrorName name = of_the_file ? ErrorName::DataError : e.name();
  return {e.op() == format ? e.reason() : e.op() + ": " + e.reason(), name};
}

void rethrow(const Error& e, const std::string& part, std::string_view format,
             std::string_view label) {
  const Failure f = failure_of(e, format);
  raise({part + ": " + f.message, f.name}, format, label);
}

void raise_refusals(const std::vector<std::string>& refusals,
                    std::initializer_list<std::string_view> kinds, std::string_view format) {
  const std::string_view plural = refusals.size() == 1 ? "" : "s";
  const std::string what = joined(kinds, std::string(plural) + " or ") + std::string(plural);
  raise({detail::format("{} {} cannot be expressed: {}",
                        {refusals.size(), what, joined(refusals, "; ")}),
         ErrorName::NotSupportedError},
        format);
}

}  // namespace webnn::inline v0_1::formats
