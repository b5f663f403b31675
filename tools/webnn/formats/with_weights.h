// A format whose weights are in a file of their own.
#pragma once

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {

/// Two files, the second beside the first and with the name of weights.
inline std::vector<OutputFile> with_weights(const std::filesystem::path& path,
                                            const std::string& text,
                                            std::vector<std::byte> weights) {
  std::filesystem::path other = path;
  other.replace_extension(".safetensors");
  if (other == path) throw Usage(shown(path) + ": is the name of its weights");
  std::vector<OutputFile> all{{path, bytes_of(text)}};
  if (!weights.empty()) all.push_back({other, std::move(weights)});
  return all;
}

}  // namespace webnn::inline v0_1::tool
