#include "src/formats/compiled/file.h"

#include <algorithm>
#include <cstring>

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"
#include "src/kernels/common/checksum.h"

namespace webnn::inline v0_1::compiled {
namespace {

constexpr std::string_view magic = "webnnc\r\n";
constexpr std::size_t version_at = 8, key_size_at = 12, file_size_at = 16, sections_at = 24,
                      key_at = sections_at + part_count * sizeof(Section),
                      checksum_at = page - sizeof(std::uint64_t);

template <class T> T get(std::span<const std::byte> from, std::size_t at) {
  T v;
  std::memcpy(&v, from.data() + at, sizeof v);
  return v;
}
template <class T> void put(std::span<std::byte> to, std::size_t at, const T& v) {
  std::memcpy(to.data() + at, &v, sizeof v);
}

template <class... A>
Failure refused(detail::Message<std::type_identity_t<A>...> form, const A&... a) {
  return formats::data_error(fail(form, a...));
}

}  // namespace

Result<std::vector<std::byte>> to_bytes(const Header& header) {
  if (header.key.size() > checksum_at - key_at)
    return fail("the names of the backends and passes do not fit in the header");
  std::vector<std::byte> bytes(page);
  std::memcpy(bytes.data(), magic.data(), magic.size());
  put(bytes, version_at, format_version);
  put(bytes, key_size_at, static_cast<std::uint32_t>(header.key.size()));
  put(bytes, file_size_at, header.file_size);
  put(bytes, sections_at, header.sections);
  std::memcpy(bytes.data() + key_at, header.key.data(), header.key.size());
  put(bytes, checksum_at, checksum_of(std::span(bytes).first(checksum_at)));
  return bytes;
}

Result<Header> header_of(std::span<const std::byte> file) {
  if (file.size() < magic.size() || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return refused("it is not a compiled graph");
  if (file.size() < page) return refused("it is damaged: it ends within its header");
  if (const auto version = get<std::uint32_t>(file, version_at); version != format_version)
    return refused("it was compiled for format version {}; this library has {}", version,
                   format_version);
  if (get<std::uint64_t>(file, checksum_at) != checksum_of(file.first(checksum_at)))
    return refused("it is damaged: the checksum of its header is wrong");
  Header h{.file_size = get<std::uint64_t>(file, file_size_at),
           .sections = get<std::array<Section, part_count>>(file, sections_at)};
  if (h.file_size != file.size())
    return refused("it is damaged: it has {} bytes, not {}", file.size(), h.file_size);
  const auto key_size = get<std::uint32_t>(file, key_size_at);
  if (key_size > checksum_at - key_at) return refused("it is damaged: its key is too long");
  h.key.assign(reinterpret_cast<const char*>(file.data()) + key_at, key_size);
  for (std::size_t i = 0; i < part_count; ++i) {
    const Section& s = h.sections[i];
    if (s.offset % page != 0 || s.offset < page || s.offset > file.size() ||
        s.size > file.size() - s.offset)
      return refused("it is damaged: its {} are not inside of it", part_names[i]);
  }
  return h;
}

void repair_checksums(std::span<std::byte> file) {
  if (file.size() < page) return;
  put(file, file_size_at, std::uint64_t{file.size()});
  auto sections = get<std::array<Section, part_count>>(file, sections_at);
  for (Section& s : sections) {
    if (s.offset > file.size() || s.size > file.size() - s.offset) continue;
    s.checksum = checksum_of(contents(file, s));
  }
  put(file, sections_at, sections);
  put(file, checksum_at, checksum_of(file.first(checksum_at)));
}

}  // namespace webnn::inline v0_1::compiled
