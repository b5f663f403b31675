// A model as JSON with the names of the interface. Private.
#pragma once

#include "src/formats/common/value.h"
#include "webnn/nnrt.h"

namespace webnn::nnrt {

/// Where a tensor's bytes are, from the beginning of the data.
struct Place {
  std::uint64_t offset = 0, size = 0;
};

/// `places` has one for each tensor; those of tensors without data are ignored.
formats::Value to_json(const Model& model, const std::vector<Place>& places);

/// A failure says where in the model it is. Constants are in `data`, which `owner` keeps alive.
Result<Model> from_json(const formats::Value& json, const std::shared_ptr<const void>& owner,
                        std::span<const std::byte> data);

}  // namespace webnn::nnrt
