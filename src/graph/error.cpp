#include "webnn/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

/// Whether a reader would not see it, or see the text in another order: controls, marks and
/// overrides of direction, line separators.
constexpr bool unseen(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;  // bytes; 0: the byte does not begin a character of UTF-8
};

Character character(std::string_view s) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first < 0xc2   ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size == 0 || size > s.size()) return {};
  std::uint32_t code = first & (0xffu >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(k) & 63);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < smallest[size] || code > 0x10ffff || surrogate) return {};
  return {code, size};
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  constexpr char hex[] = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += hex[value >> shift & 15];
}

}  // namespace

std::string escaped(std::string_view label) {
  std::string out;
  while (!label.empty()) {
    const auto [code, size] = character(label);
    if (size == 0) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(label[0]), 2);
    } else if (unseen(code)) {
      out += "\\u";
      append_hex(out, code, 4);
    } else {
      out += label.substr(0, size);
    }
    label.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

namespace {

std::string sentence(std::string_view op, std::string_view label, std::string_view reason) {
  // What follows on other lines is an excerpt of a file.
  const std::string_view first = reason.substr(0, reason.find('\n'));
  return name_and_label(op, label) + ": " + std::string(first) + '.' +
         std::string(reason.substr(first.size()));
}

}  // namespace

Error::Error(ErrorName name, std::string_view op, std::string_view label, std::string_view reason)
    : std::runtime_error(sentence(op, label, reason)),
      name_(name),
      op_(op),
      label_(label),
      reason_(reason) {}

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::detail {
namespace {

template <class T> std::string list_text(std::span<const T> list) {
  std::string s = "[";
  for (auto v : list) s += (s.size() > 1 ? ", " : "") + std::to_string(v);
  return s + ']';
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

void raise(const Failure& f, std::string_view op, std::string_view label) {
  switch (f.name) {
    case ErrorName::TypeError: throw TypeError(op, label, f.message);
    case ErrorName::InvalidStateError: throw InvalidStateError(op, label, f.message);
    case ErrorName::NotSupportedError: throw NotSupportedError(op, label, f.message);
    case ErrorName::OperationError: throw OperationError(op, label, f.message);
    case ErrorName::AbortError: throw AbortError(op, label, f.message);
    case ErrorName::UnknownError: throw UnknownError(op, label, f.message);
    case ErrorName::DataError: throw DataError(op, label, f.message);
  }
  throw UnknownError(op, label, f.message);
}

}  // namespace webnn::inline v0_1::detail
