#include <new>

#include "src/formats/common/failures.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/compiled/graph.h"
#include "src/formats/compiled/key.h"
#include "src/formats/compiled/nodes.h"
#include "src/formats/compiled/open.h"
#include "src/graph/access.h"
#include "src/kernels/common/checksum.h"

namespace webnn::inline v0_1::compiled {
namespace {

/// Bytes of the file, for packed weights.
struct MappedBlock final : PackedBlock {
  std::shared_ptr<const void> owner;
};

/// A file whose header and key fit.
class Loader {
 public:
  Loader(std::shared_ptr<const void> owner, std::span<const std::byte> file, Header header)
      : owner_(std::move(owner)), file_(file), header_(std::move(header)) {}

  void verify(Verify verify) const {
    for (std::size_t i = 0; i < part_count; ++i) {
      if (static_cast<Part>(i) == Part::large && verify != Verify::full) continue;
      if (checksum_of(contents(file_, header_.sections[i])) != header_.sections[i].checksum)
        damaged("the checksum of its " + std::string(part_names[i]) + " is wrong");
    }
  }

  /// A graph of known sizes, or one with open dimensions.
  std::variant<Compiled, OpenContents> read(const MLContext* context, Metadata& metadata) const {
    Reader from(contents(file_, section(Part::graph)));
    const auto constant_at = [&](const Place& p) { return Constant(owner_, bytes_at(p)); };
    const auto block_at = [&](const Place& p) {
      auto block = std::make_shared<MappedBlock>();
      block->bytes = bytes_at(p);
      block->size = block->bytes.size();
      block->mapped = true;
      block->owner = owner_;
      return std::shared_ptr<const PackedBlock>(std::move(block));
    };
    if (from.flag()) {
      metadata = read_metadata(from);
      return read_open(from, constant_at, block_at, context);
    }
    Compiled all{.graph = read_graph(from, constant_at, context)};
    read_plan(from, block_at, all, metadata);
    return all;
  }

 private:
  const Section& section(Part part) const {
    return header_.sections[static_cast<std::size_t>(part)];
  }
  std::span<const std::byte> bytes_at(const Place& p) const {
    const Section& s = section(p.part);
    if (p.offset > s.size || p.size > s.size - p.offset || p.offset % array_alignment != 0)
      damaged("an array is not inside of its section");
    return contents(file_, s).subspan(p.offset, p.size);
  }

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> file_;
  Header header_;
};

/// Whatever is wrong is wrong with the file.
template <class F> auto of_file(std::string_view label, F f) {
  try {
    return f();
  } catch (const Error& e) {
    raise(formats::data_error({e.reason()}), "load", label);
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "load", label);
  }
}

Header checked_header(std::span<const std::byte> file) {
  auto header = header_of(file);
  if (!header) raise(header.failure(), "load");
  return std::move(*header);
}

/// At a multiple of array_alignment, as mapped files are.
formats::MappedFile aligned(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                            const MemorySource& memory) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % array_alignment == 0)
    return {std::move(owner), bytes};
  std::byte* to = nullptr;
  const std::shared_ptr<PackedBlock> block = new_block(bytes.size(), to, memory);
  std::copy(bytes.begin(), bytes.end(), to);
  return {block, block->bytes};
}

}  // namespace

MLGraph load(const MLContext& context, std::shared_ptr<const void> owner,
             std::span<const std::byte> bytes, const LoadOptions& options, std::string_view label) {
  if (context.lost()) raise({"the context is lost", ErrorName::InvalidStateError}, "load");
  const Key here = key_of(context);
  Metadata metadata;
  auto read = of_file(label, [&] {
    Header header = checked_header(bytes);
    if (const auto other = difference(key_from(header.key), here)) raise(*other, "load");
    const formats::MappedFile file = aligned(
        std::move(owner), bytes, memory_of(*detail::state_of(context), MemoryPurpose::weights));
    const Loader loader(file.owner, file.bytes, std::move(header));
    loader.verify(options.verify);
    return loader.read(&context, metadata);
  });
  try {
    auto* open = std::get_if<OpenContents>(&read);
    auto graph =
        detail::make<MLGraph>(open ? restore_open(std::move(*open), context)
                                   : restore(std::get<Compiled>(std::move(read)), context));
    if (options.metadata) *options.metadata = std::move(metadata);
    return graph;
  } catch (const DataError& e) {
    raise(formats::data_error({e.reason()}), "load", label);
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "load", label);
  }
}

namespace {

formats::MappedFile mapped(const Path& path) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "load", path);
  return std::move(*file);
}

}  // namespace

MLGraph load(const MLContext& context, const Path& path, const LoadOptions& options) {
  const formats::MappedFile file = mapped(path);
  return load(context, file.owner, file.bytes, options, path);
}

Description describe(const Path& path) {
  const formats::MappedFile file = mapped(path);
  return of_file(path, [&] {
    const Header header = checked_header(file.bytes);
    const auto& [graph, small, large] = header.sections;
    Description d{.key = key_from(header.key),
                  .graph_hash = graph.checksum,
                  .weights_hash = small.checksum ^ (large.checksum * 31),
                  .weights = small.size + large.size};
    const Loader loader(file.owner, file.bytes, header);
    loader.verify(Verify::small);
    loader.read(nullptr, d.metadata);
    return d;
  });
}

}  // namespace webnn::inline v0_1::compiled
