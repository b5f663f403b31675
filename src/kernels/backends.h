// The backends that were built in, in their order.
#pragma once

#include <optional>

#include "backend_list.h"  // generated: the functions that make the backends, and their names
#include "src/kernels/common/growing.h"
#include "webnn/backend.h"
#include "webnn/context.h"

namespace webnn::inline v0_1 {

/// A backend of the library: those of callers are offered operators of WebNN only.
struct LibraryBackend : Backend {
  /// A kernel for an attention over states that grow, with the bits of what lower() has for the
  /// sizes of each run; nothing if there is none.
  virtual std::optional<Candidate> lower_growing(const Node&, const GrowingRows&) const {
    return std::nullopt;
  }
};

/// A backend whose kernels depend on more than their chains.
struct VersionedBackend : LibraryBackend {
  /// A version of a library, an instruction set: part of the key of compiled graphs.
  virtual std::string version() const = 0;
  /// This backend for contexts of that level; null: it makes no difference.
  virtual std::shared_ptr<const Backend> with(AccuracyLevel) const { return nullptr; }
};

std::vector<std::string_view> backend_names();

/// The backends a context asks, in its order: the caller's choice, else WEBNN_BACKENDS, else all.
/// Throws NotSupportedError for one that is not known.
std::vector<std::shared_ptr<const Backend>> backends_for(
    std::span<const BackendChoice> choice, AccuracyLevel level = AccuracyLevel::float32);

/// Whether the level changes kernels of one of these.
bool knows_level(std::span<const BackendChoice> choice, AccuracyLevel level);

}  // namespace webnn::inline v0_1
