// A format whose weights are in a file of their own. Private.
#pragma once

#include "src/formats/registry/format.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::registry {

/// Two files, the second beside the first and with the name of weights.
inline std::vector<OutputFile> with_weights(const std::filesystem::path& path,
                                            const std::string& text,
                                            std::vector<std::byte> weights) {
  std::filesystem::path other = path;
  other.replace_extension(".safetensors");
  if (other == path)
    throw TypeError("export", path.string(), "the path is the name of the file with the weights");
  std::vector<OutputFile> all{{path, bytes_of(text)}};
  if (!weights.empty()) all.push_back({other, std::move(weights)});
  return all;
}

}  // namespace webnn::inline v0_1::registry
