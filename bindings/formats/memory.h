// Models in memory, for bindings: the format is found by its first bytes.
#pragma once

#include <memory>
#include <span>

#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::bindings {

/// The contents of a file, which do not change as long as `owner` lives.
struct Contents {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
};

/// The name of the format that has such contents. Throws DataError when none has.
std::string format_of(std::span<const std::byte> bytes);
/// Like import_model() of a file; `format` may be empty. `label` takes the place of the path in
/// messages. Weights beside the model are refused.
tool::Imported import_model(MLGraphBuilder& builder, const Contents& contents,
                            std::string_view label, const std::string& format,
                            const tool::ReadOptions& options);
/// Like load_graph() of a file.
tool::Loaded load_graph(const MLContext& context, const Contents& contents, std::string_view label,
                        bool all);

}  // namespace webnn::inline v0_1::bindings
