// A model's file, and the files beside it that hold its weights. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <optional>

#include "src/formats/common/mapped_file.h"

namespace webnn::inline v0_1::formats {

/// The folder of a model, in which files beside it are looked for. They may lie there, in the
/// folder of the file that the model's path leads to (in the cache of a download, the model and its
/// weights are symbolic links to files of another folder), or below one of the two.
class ModelFolder;

struct ModelFile {
  MappedFile contents{};
  std::shared_ptr<const ModelFolder> folder{};
};

/// Maps a model. A DataError for what is not a regular file and for what the system refuses.
[[gnu::visibility("hidden")]] Result<ModelFile> map_model(const std::filesystem::path& path);

/// Maps a file whose name another file has, which is not trusted: `name` is relative, its parts are
/// separated by '/', and none of them is "..". Symbolic links are followed. A DataError when the
/// file is not in one of the folders or below it: what is asked is where the open file was found,
/// so that nothing changes when a link is replaced meanwhile.
[[gnu::visibility("hidden")]] Result<MappedFile> map_beside(const ModelFolder& folder,
                                                            std::string_view name);
/// The same; nothing when there is no file of that name.
[[gnu::visibility("hidden")]] Result<std::optional<MappedFile>> map_if_beside(
    const ModelFolder& folder, std::string_view name);

}  // namespace webnn::inline v0_1::formats
