// What all parts of one import share. Private.
#pragma once

#include "src/formats/executorch/import/source.h"
#include "webnn/executorch.h"

namespace webnn::executorch {

struct Import {
  MLGraphBuilder builder;
  const Source& source;
  const ImportOptions& options;
  std::uint64_t spent = 0;  // bytes of ImportOptions::max_bytes
  std::uint64_t read = 0;   // entries of lists, which a hostile file may refer to many times

  /// Before memory for constants is allocated. `what` ends the sentence "memory for ...".
  std::optional<Failure> spend(std::uint64_t bytes, std::string_view what);
  std::optional<Failure> count(std::uint64_t entries);
};

}  // namespace webnn::executorch
