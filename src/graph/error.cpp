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

namespace {

/// Whether a reader would not see it, or see the text in another order: controls, marks and
/// overrides of direction, line separators.
constexpr bool unseen(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/// The character at i and its bytes. Of those that count no more than 3; what is no UTF-8 counts
/// as a printable byte.
std::pair<std::uint32_t, std::size_t> character(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) -> std::uint32_t {
    return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0;
  };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xc0) == 0x80; };
  if (byte(0) < 0x80) return {byte(0), 1};
  if ((byte(0) & 0xe0) == 0xc0 && follows(1)) return {(byte(0) & 31) << 6 | (byte(1) & 63), 2};
  if ((byte(0) & 0xf0) == 0xe0 && follows(1) && follows(2))
    return {(byte(0) & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63), 3};
  return {'?', 1};
}

}  // namespace

std::string escaped(std::string_view label) {
  std::string out;
  for (std::size_t i = 0; i < label.size();) {
    const auto [code, size] = character(label, i);
    if (unseen(code)) {
      constexpr char hex[] = "0123456789abcdef";
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += hex[code >> shift & 15];
    } else {
      out += label.substr(i, size);
    }
    i += size;
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
