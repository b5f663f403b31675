#include "src/formats/executorch/import/program.h"

#include <cstring>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {

Program::Program(Source source) : source_(std::move(source)) {
  SharedBytes& shared = source_;
  shared = formats::aligned_to_16(std::move(shared.owner), shared.bytes);
  read_header();
  if (size_ >= FLATBUFFERS_MAX_BUFFER_SIZE)
    refuse(source_,
           fail("the flatbuffer has {} bytes, more than {}", size_, FLATBUFFERS_MAX_BUFFER_SIZE));
  const auto bytes = source_.bytes.first(static_cast<std::size_t>(size_));
  fb::Verifier verifier = formats::verifier_of(bytes);
  if (!verifier.VerifyBuffer<pte::Program>(nullptr))
    refuse(source_,
           fail("the flatbuffer is broken: an offset or a size in it is out of its bounds"));
  table_ = fb::GetRoot<pte::Program>(bytes.data());
  const auto* keys = table_->named_data();
  for (fb::uoffset_t i = 0; i < size_of(keys); ++i)
    keys_.emplace(text_of(keys->Get(i)->key()), keys->Get(i)->segment_index());
}

/// Behind the identifier: "eh00", u32 length, u64 size of the flatbuffer, u64 offset of the
/// segments and, in longer headers, u64 size of all of them.
void Program::read_header() {
  const auto bytes = source_.bytes;
  size_ = bytes.size();
  constexpr std::size_t at = 8;
  if (bytes.size() < at + 24 || std::memcmp(bytes.data() + at, "eh00", 4) != 0) return;
  std::uint32_t length = 0;
  std::uint64_t size = 0, base = 0, data = 0;
  std::memcpy(&length, bytes.data() + at + 4, 4);
  std::memcpy(&size, bytes.data() + at + 8, 8);
  std::memcpy(&base, bytes.data() + at + 16, 8);
  if (length < 24)
    refuse(source_, fail("the extended header at byte 8 has {} bytes, less than 24", length));
  if (length >= 32 && bytes.size() >= at + 32) std::memcpy(&data, bytes.data() + at + 24, 8);
  if (size < 8 || size > bytes.size())
    refuse(source_,
           fail("the extended header at byte 8 has a flatbuffer of {} bytes, but the file has {}",
                size, bytes.size()));
  size_ = size;
  if (base == 0) return;
  if (base < size || base > bytes.size() || data > bytes.size() - base)
    refuse(source_, fail("the extended header at byte 8 has segments of {} bytes at {} after a "
                         "flatbuffer of {}, but the file has {} bytes",
                         data, base, size, bytes.size()));
  segments_ = bytes.subspan(static_cast<std::size_t>(base));
}

Result<std::span<const std::byte>> Program::segment(std::uint64_t index) const {
  const auto* all = table_->segments();
  if (index >= size_of(all))
    return fail("segment {} is not less than the number of segments ({})", index, size_of(all));
  const pte::DataSegment& s = *all->Get(static_cast<fb::uoffset_t>(index));
  if (!segments_) return fail("there is no extended header to say where segment {} is", index);
  if (s.offset() > segments_->size() || s.size() > segments_->size() - s.offset())
    return fail("segment {}, {} bytes at {}, exceeds the {} bytes of segments", index, s.size(),
                s.offset(), segments_->size());
  return segments_->subspan(static_cast<std::size_t>(s.offset()),
                            static_cast<std::size_t>(s.size()));
}

Result<std::span<const std::byte>> Program::named(std::string_view key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return fail("the program has no data under the key {}", in_quotes(key));
  return segment(found->second);
}

Result<std::span<const std::byte>> Program::delegate_bytes(const pte::BackendDelegate& d) const {
  const pte::BackendDelegateDataReference* at = d.processed();
  if (!at) return fail("it has no data");
  if (at->location() == pte::DataLocation::SEGMENT) return segment(at->index());
  if (at->location() != pte::DataLocation::INLINE)
    return fail("the location ({}) of its data is neither INLINE nor SEGMENT",
                static_cast<int>(at->location()));
  const auto* all = table_->backend_delegate_data();
  if (at->index() >= size_of(all))
    return fail("its data ({}) is not less than the number of inline data ({})", at->index(),
                size_of(all));
  return std::as_bytes(elements_of(all->Get(at->index())->data()));
}

Result<std::span<const std::byte>> Program::tensor_bytes(const pte::Tensor& t) const {
  const std::uint32_t index = t.data_buffer_idx();
  const auto* info = t.extra_tensor_info();
  if (info && info->location() == pte::TensorDataLocation::EXTERNAL)
    return Failure{"its elements are outside of the program", ErrorName::NotSupportedError};
  if (size_of(table_->constant_buffer()) > 0) {
    if (index >= size_of(table_->constant_buffer()))
      return fail("its buffer ({}) is not less than the number of buffers ({})", index,
                  size_of(table_->constant_buffer()));
    return std::as_bytes(elements_of(table_->constant_buffer()->Get(index)->storage()));
  }
  const auto* constants = table_->constant_segment();
  const auto* offsets = constants ? constants->offsets() : nullptr;
  if (index >= size_of(offsets))
    return fail("its buffer ({}) is not less than the number of constants ({})", index,
                size_of(offsets));
  // The verifier sees to the alignment of all but elements of 8 bytes.
  std::uint64_t offset = 0;
  std::memcpy(&offset, offsets->Data() + std::size_t{index} * 8, 8);
  auto bytes = segment(constants->segment_index());
  if (!bytes) return bytes;
  if (offset > bytes->size())
    return fail("its offset ({}) exceeds the {} bytes of the constants", offset, bytes->size());
  return bytes->subspan(static_cast<std::size_t>(offset));
}

Result<Blob> Program::blob(const pte::BackendDelegate& d) const {
  auto bytes = delegate_bytes(d);
  if (!bytes) return bytes.failure();
  verified_ += bytes->size();
  if (verified_ / 16 > source_.bytes.size())
    return fail("the delegates have more than 16 times the {} bytes of the file",
                source_.bytes.size());
  return open_blob({source_.owner, *bytes}, [this](std::string_view key) { return named(key); });
}

Result<std::string> name_of_operator(const pte::ExecutionPlan& plan, const pte::KernelCall& call) {
  const auto* all = plan.operators();
  if (call.op_index() < 0 || static_cast<std::size_t>(call.op_index()) >= size_of(all))
    return fail("an operator ({}) is not one of the {}", call.op_index(), size_of(all));
  const pte::Operator& op = *all->Get(static_cast<fb::uoffset_t>(call.op_index()));
  std::string name(truncated(text_of(op.name()), 80));
  if (!text_of(op.overload()).empty())
    name += '.' + std::string(truncated(text_of(op.overload()), 80));
  return name;
}

}  // namespace webnn::inline v0_1::executorch
