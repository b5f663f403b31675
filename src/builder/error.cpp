#include "webnn/error.h"

#include <charconv>
#include <cmath>

namespace webnn {
namespace {

template <class T> std::string list_text(std::span<const T> list) {
  std::string s = "[";
  for (auto v : list) s += (s.size() > 1 ? ", " : "") + std::to_string(v);
  return s + ']';
}

}  // namespace

std::string escaped(std::string_view label) {
  std::string out;
  for (std::size_t i = 0; i < label.size(); ++i) {
    const auto byte = [&](std::size_t k) {
      return i + k < label.size() ? static_cast<unsigned char>(label[i + k]) : 0u;
    };
    const bool bidi = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                                          (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
    if (byte(0) >= 0x20 && byte(0) != 0x7f && !bidi) {
      out += label[i];
      continue;
    }
    constexpr char hex[] = "0123456789abcdef";
    unsigned code = byte(0);
    if (bidi) code = (byte(0) & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += hex[code >> shift & 15];
    if (bidi) i += 2;
  }
  return out;
}

namespace {

std::string sentence(std::string_view op, std::string_view label, std::string_view reason) {
  std::string s(op);
  if (!label.empty()) s += " [" + escaped(label) + ']';
  return s + ": " + std::string(reason) + '.';
}

}  // namespace

Arg::Arg(const MLNumber& v) {
  if (v.is_negative_integer()) text = std::to_string(static_cast<std::int64_t>(v.as_uint64()));
  else if (v.is_integer()) text = std::to_string(v.as_uint64());
  else {
    char buffer[32];
    text.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, v.as_double()).ptr);
  }
}
Arg::Arg(std::span<const std::uint32_t> list) : text(list_text(list)) {}
Arg::Arg(std::span<const std::uint64_t> list) : text(list_text(list)) {}

std::string format(std::string_view form, std::initializer_list<Arg> args) {
  std::string out;
  auto next = args.begin();
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '{' && i + 1 < form.size() && form[i + 1] == '}') {
      out += next++->text;
      ++i;
    } else {
      out += form[i];
    }
  }
  return out;
}

Error::Error(std::string_view op, std::string_view label, std::string_view reason)
    : std::runtime_error(sentence(op, label, reason)), op_(op), label_(label), reason_(reason) {}

void raise(const Failure& f, std::string_view op, std::string_view label) {
  switch (f.name) {
    case ErrorName::TypeError: throw TypeError(op, label, f.message);
    case ErrorName::InvalidStateError: throw InvalidStateError(op, label, f.message);
    case ErrorName::NotSupportedError: throw NotSupportedError(op, label, f.message);
    case ErrorName::OperationError: throw OperationError(op, label, f.message);
    case ErrorName::UnknownError: throw UnknownError(op, label, f.message);
    case ErrorName::DataError: throw DataError(op, label, f.message);
  }
  throw UnknownError(op, label, f.message);
}

}  // namespace webnn
