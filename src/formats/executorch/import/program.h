// A program: its flatbuffer, and the segments behind it. Private.
#pragma once

#include <optional>
#include <unordered_map>

#include "src/formats/executorch/import/blob.h"

namespace webnn::inline v0_1::executorch {

inline constexpr std::string_view xnnpack_backend = "XnnpackBackend";

class Program {
 public:
  /// Verifies the bytes; raises.
  explicit Program(Source source);

  const pte::Program& table() const { return *table_; }
  const Source& source() const { return source_; }

  // A failure is a sentence about what names the bytes.
  Result<std::span<const std::byte>> segment(std::uint64_t index) const;
  Result<std::span<const std::byte>> named(std::string_view key) const;
  Result<std::span<const std::byte>> delegate_bytes(const pte::BackendDelegate&) const;
  /// From the beginning of a constant tensor to the end of what it lies in.
  Result<std::span<const std::byte>> tensor_bytes(const pte::Tensor&) const;
  /// The graph of an XNNPACK delegate.
  Result<Blob> blob(const pte::BackendDelegate&) const;

 private:
  void read_header();

  Source source_;
  const pte::Program* table_ = nullptr;
  std::uint64_t size_ = 0;                                // bytes of the flatbuffer
  std::optional<std::span<const std::byte>> segments_{};  // all of them
  mutable std::uint64_t verified_ = 0;  // bytes of delegates, which may share them
  std::unordered_map<std::string_view, std::uint32_t> keys_{};  // to indices of segments
};

/// "aten::mean.dim"; a sentence when the call's index is wrong.
Result<std::string> name_of_operator(const pte::ExecutionPlan&, const pte::KernelCall&);

}  // namespace webnn::inline v0_1::executorch
