// A model as JSON with the names of the interface, and its file. Private.
#pragma once

#include "src/formats/common/value.h"
#include "webnn/nnrt.h"

namespace webnn::inline v0_1::nnrt {

/// Where a tensor's bytes are, from the beginning of the data.
struct Place {
  std::uint64_t offset = 0, size = 0;
};

/// `places` has one for each tensor; those of tensors without data are ignored.
formats::Value to_json(const Model& model, const std::vector<Place>& places);

/// Where the parts of a model begin in its file; empty for a model without a file.
struct Offsets {
  std::uint64_t inputs = 0, outputs = 0, subgraphs = 0;
  std::vector<std::uint64_t> nodes{}, tensors{};
};
struct ModelFile {
  Model model{};
  Offsets offsets{};
};

/// A failure says where in the model it is, and at which byte. Constants are in `data`, which
/// `owner` keeps alive.
Result<ModelFile> from_json(const formats::Value& json, const std::shared_ptr<const void>& owner,
                            std::span<const std::byte> data);

/// read_model(), with at most so many bytes of memory for what is not shared with the file.
ModelFile read_file(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                    std::string_view label, std::optional<std::uint64_t> max_bytes);

}  // namespace webnn::inline v0_1::nnrt
