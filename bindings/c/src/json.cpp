#include "bindings/c/src/json.h"

#include <charconv>
#include <cmath>

#include "webnn/error.h"

namespace webnn::inline v0_1::c {

void JsonWriter::separate() {
  const char last = text_.empty() ? '[' : text_.back();
  if (last != '[' && last != '{' && last != ':') text_ += ',';
}
JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  return *this;
}
JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
  string(name);
  text_ += ':';
  return *this;
}
JsonWriter& JsonWriter::string(std::string_view text) {
  separate();
  text_ += '"';
  for (const char c : escaped(text)) {  // no control characters, and valid UTF-8
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
  return *this;
}
JsonWriter& JsonWriter::number(std::uint64_t v) {
  separate();
  text_ += std::to_string(v);
  return *this;
}
JsonWriter& JsonWriter::number(double v) {
  separate();
  char digits[40];
  if (std::isfinite(v)) text_.append(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
  else text_ += "null";
  return *this;
}
JsonWriter& JsonWriter::boolean(bool v) {
  separate();
  text_ += v ? "true" : "false";
  return *this;
}

}  // namespace webnn::inline v0_1::c
