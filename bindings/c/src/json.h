// JSON that the library writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace webnn::inline v0_1::c {

/// Writes one value; keys and values in the order of the calls.
class JsonWriter {
 public:
  JsonWriter& open(char bracket);  ///< [ or {
  JsonWriter& close(char bracket);
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view text);  ///< bytes that are not UTF-8 as `\xXX`
  JsonWriter& number(std::uint64_t v);
  JsonWriter& number(double v);  ///< null, if it is not finite
  JsonWriter& boolean(bool v);
  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_{};
};

}  // namespace webnn::inline v0_1::c
