// The value at first of a state that a graph keeps. Private.
#pragma once

#include <optional>

#include "src/formats/compiled/stream.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::compiled {

inline void write_initial(Writer& to, const std::optional<Constant>& initial) {
  to.put(static_cast<std::uint8_t>(initial.has_value()));
  if (!initial) return;
  const auto bytes = initial->bytes();
  to.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// That of a state with this record.
inline std::optional<Constant> read_initial(Reader& from, const OperandRecord& state) {
  if (!from.flag()) return std::nullopt;
  const std::string bytes = from.text();
  if (state.open || bytes.size() != byte_length(state.descriptor))
    damaged("the value of a state has another size");
  return Constant::copy_of(std::as_bytes(std::span(bytes)));
}

}  // namespace webnn::inline v0_1::compiled
