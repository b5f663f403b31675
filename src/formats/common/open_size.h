// The error of an import whose options leave a size open, as the file does. Private.
#pragma once

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

/// Messages name options in the words that all languages share. A program with words of its own,
/// such as the command with its flags, learns here which option is meant.
struct OpenSize final : TypeError {
  OpenSize(std::string_view format, std::string_view label, const Failure& f, std::string_view in,
           std::string_view named)
      : TypeError(format, label, f.message), input(in), dimension(named) {}

  std::string input;      ///< the name of the input whose shape is open
  std::string dimension;  ///< the name of its open dimension, or nothing: the shape has to be given
};

}  // namespace webnn::inline v0_1::formats
