// Compiled graphs in .webnnc files: the graph after the passes, the kernels that were chosen, and
// their packed weights, which are mapped when the graph is loaded. They fit the machine and the
// build of the library that made them; models that are kept or passed on belong in another format.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/context.h"
#include "webnn/graph.h"
#include "webnn/path.h"

namespace webnn::inline v0_1::compiled {

/// Texts of the program that wrote the file.
using Metadata = std::map<std::string, std::string>;

struct SaveOptions {
  Metadata metadata{};
};

/// Which checksums are computed when a file is loaded. `small`: those of the header, the graph, and
/// everything smaller than 64 KiB. `full`: also those of the large weights, for which all of them
/// are read.
enum class Verify { small, full };
constexpr auto names_of(Verify) { return names("small", "full"); }

struct LoadOptions {
  Verify verify = Verify::small;
  Metadata* metadata = nullptr;  ///< gets the texts that SaveOptions::metadata had
};

/// Writes a graph as it is compiled. A graph with open dimensions is written as it was before the
/// passes, with all of its constants and with the sizes that are prepared, which load() prepares
/// again. The file is replaced when all of its bytes are written and synced: a process that has
/// mapped the old file keeps its contents.
///
/// Constants that are only packed are not needed. Kernels with packed weights in memory of their
/// own (WeightBlock::layout), as those of XNNPACK, are made from the constants again; throws
/// NotSupportedError when build() has dropped these: build such a graph with
/// MLContextOptions::keepConstants. Throws InvalidStateError for an empty or destroyed graph,
/// OperationError when the system refuses. The context need not live.
void save(const MLGraph& graph, const Path& path, const SaveOptions& options = {});
/// The bytes of such a file.
std::vector<std::byte> bytes_of(const MLGraph& graph, const SaveOptions& options = {});

/// Loads a graph: maps the file, validates the graph again, and makes its kernels with the packed
/// weights of the file, which are not copied. Results are the same bits as those of the graph that
/// was saved. MLGraph::graph() is the graph after the passes, without constants that only kernels
/// have; MLGraph::memory() does not count what is mapped. The file must not be shortened or changed
/// as long as the graph lives.
///
/// A file is not trusted: sizes are checked before they are used, and weights may have any values.
/// Throws DataError, which names the file and the reason, for a file that is damaged or that was
/// made for another machine, library or context:
///
///     load [net.webnnc]: it was compiled for backend order simd,onednn; this context has
///     reference.
///
/// InvalidStateError when the context is lost, OperationError beyond
/// MLContextOptions::memoryLimit and when memory runs out.
MLGraph load(const MLContext& context, const Path& path, const LoadOptions& options = {});
/// From bytes that `owner` keeps alive; they are copied when they are not aligned to 64 bytes.
/// `label` takes the place of the path in messages.
MLGraph load(const MLContext& context, std::shared_ptr<const void> owner,
             std::span<const std::byte> bytes, const LoadOptions& options, std::string_view label);

/// A field that has to be the same where a graph is loaded.
struct KeyField {
  std::string name{};  ///< "backend order"
  std::string value{};
  bool operator==(const KeyField&) const = default;
};
using Key = std::vector<KeyField>;
/// The key of graphs that the context builds now.
Key key_of(const MLContext& context);

/// The description of a file. Its header and graph are checked, and its weights are not read.
struct Description {
  Key key{};
  std::uint64_t graph_hash = 0;    ///< a hash of the graph, its kernels and the metadata
  std::uint64_t weights_hash = 0;  ///< a hash of all weights and constants
  std::uint64_t weights = 0;       ///< their bytes
  Metadata metadata{};
};
Description describe(const Path& path);

}  // namespace webnn::inline v0_1::compiled
