// The error of an import that needs the values of inputs. Private.
#pragma once

#include <string>
#include <vector>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

/// The message names the option in the word that all languages share. A program with words of its
/// own, such as the command with its flags, learns here which inputs are meant.
struct UnknownValues final : NotSupportedError {
  UnknownValues(std::string_view format, std::string_view label, std::string_view message,
                std::vector<std::string> names)
      : NotSupportedError(format, label, message), inputs(std::move(names)) {}

  std::vector<std::string> inputs;  ///< their names
};

}  // namespace webnn::inline v0_1::formats
