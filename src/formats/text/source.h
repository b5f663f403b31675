// A text and where in it something is wrong. Private.
#pragma once

#include <string>
#include <string_view>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::text {

struct Source {
  std::string_view text{};
  std::string label{};  ///< names the file; may be empty

  /// Throws a DataError with the line and column of that byte, and the line.
  [[noreturn]] void refuse(std::size_t offset, const Failure& failure) const;
};

}  // namespace webnn::inline v0_1::text
