#include "src/formats/executorch/import/source.h"

#include <bit>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

void refuse(const Source& s, const Failure& f) {
  raise({f.message, ErrorName::DataError}, "executorch", s.label);
}
void unsupported(const Source& s, const Failure& f) {
  raise({f.message, ErrorName::NotSupportedError}, "executorch", s.label);
}
void wrong_option(const Source& s, const Failure& f) {
  raise({f.message, ErrorName::TypeError}, "executorch", s.label);
}
void raise_named(const Source& s, const Failure& f) {
  if (f.name == ErrorName::NotSupportedError) unsupported(s, f);
  refuse(s, f);
}

std::string_view identifier_of(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return {};
  return {reinterpret_cast<const char*>(bytes.data()) + 4, 4};
}

bool is_program(std::span<const std::byte> bytes) { return identifier_of(bytes) == "ET12"; }

}  // namespace webnn::inline v0_1::executorch
