#include "src/formats/common/json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {
namespace {

/// Shows how far the parser has read.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** read = nullptr;

  reference operator*() const { return *at; }
  Cursor& operator++() {
    *read = ++at;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
  bool operator!=(const Cursor& other) const { return at != other.at; }
};

/// Handles the events of the parser: no document of the library's own is built. The first thing
/// that is wrong ends the reading.
class Reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(std::string_view text, const JsonLimits& limits) : limits_(limits), text_(text) {}

  Cursor begin() { return {text_.data(), &read_}; }
  Cursor end() { return {text_.data() + text_.size(), &read_}; }

  bool null() override { return add({}); }
  bool boolean(bool v) override { return add(Value::boolean(v)); }
  bool number_integer(number_integer_t v) override { return add(Value::number(std::to_string(v))); }
  bool number_unsigned(number_unsigned_t v) override { return add(Value::number(v)); }
  bool number_float(number_float_t, const string_t& text) override {
    return add(Value::number(text));
  }
  bool string(string_t& text) override { return add(Value::string(std::move(text))); }
  bool binary(binary_t&) override { return stop(fail("binary data")); }
  bool key(string_t& text) override { return add(Value::string(std::move(text))); }
  bool start_object(std::size_t) override { return open(Value::object()); }
  bool start_array(std::size_t) override { return open(Value::list()); }
  bool end_array() override {
    end_ = read_;
    return close();
  }
  bool end_object() override {
    end_ = read_;
    const std::vector<Value>& items = open_.back()->items;
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i < items.size(); i += 2) keys.push_back(items[i].text);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) return stop(fail("the key {} is given twice", in_quotes(*twice)));
    return close();
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& e) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    std::string_view what = e.what();
    if (const auto at = what.find("] "); at != std::string_view::npos) what.remove_prefix(at + 2);
    return stop(fail("byte {}: {}", limits_.first_byte + position, escaped(truncated(what, 200))));
  }

  Value root{};
  std::optional<Failure> failure{};

 private:
  bool stop(Failure f) {
    f.name = ErrorName::DataError;
    failure = std::move(f);
    return false;
  }
  bool count(const Value& value) {
    // A list may have room for twice what is in it.
    bytes_ += 2 * sizeof(Value) + value.text.size();
    if (bytes_ > limits_.max_bytes)
      return stop(fail("reading needs more than the limit ({}) of bytes", limits_.max_bytes));
    return true;
  }
  bool add(Value value) {
    if (!count(value)) return false;
    while (end_ < read_ && std::string_view(" \t\r\n,:").find(*end_) != std::string_view::npos)
      ++end_;
    value.offset = static_cast<std::size_t>(limits_.first_byte) +
                   static_cast<std::size_t>(end_ - text_.data());
    end_ = read_;
    (open_.empty() ? root : open_.back()->items.emplace_back()) = std::move(value);
    return true;
  }
  bool open(Value value) {
    if (open_.size() == limits_.max_depth)
      return stop(fail("values are nested more than {} deep", limits_.max_depth));
    if (!add(std::move(value))) return false;
    open_.push_back(open_.empty() ? &root : &open_.back()->items.back());
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits limits_;
  const std::string_view text_;
  const char* read_ = text_.data();  // what the parser has read, up to one character more
  const char* end_ = text_.data();   // where the event before ended
  std::uint64_t bytes_ = 0;
  std::vector<Value*> open_{};  // each the last item of the one before, so that none moves
};

/// Throws the library's exception for what is not UTF-8.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

bool has_lines(const Value& v) {
  if (v.kind == Value::Kind::object) return v.items.size() > 6;
  return v.kind == Value::Kind::list && !v.items.empty() &&
         v.items.front().kind == Value::Kind::object;
}

void write(std::string& out, const Value& v, std::size_t indent) {
  const bool object = v.kind == Value::Kind::object;
  if (v.is_text()) {
    out += quoted(v.text);
  } else if (v.kind == Value::Kind::null) {
    out += "null";
  } else if (!object && v.kind != Value::Kind::list) {
    out += v.text;
  } else {
    const bool lines = has_lines(v);
    out += object ? '{' : '[';
    const std::size_t step = object ? 2 : 1;
    for (std::size_t i = 0; i < v.items.size(); i += step) {
      if (i > 0) out += lines ? "," : ", ";
      if (lines) out += '\n' + std::string(indent + 2, ' ');
      if (object) out += quoted(v.items[i].text) + ": ";
      write(out, v.items[i + step - 1], lines ? indent + 2 : indent);
    }
    if (lines) out += '\n' + std::string(indent, ' ');
    out += object ? '}' : ']';
  }
}

}  // namespace

Result<Value> read_json(std::string_view text, const JsonLimits& limits) {
  Reader reader(text, limits);
  nlohmann::json::sax_parse(reader.begin(), reader.end(), &reader);
  if (reader.failure) return *reader.failure;
  return std::move(reader.root);
}

Result<std::string> write_json(const Value& value) {
  std::string out;
  try {
    write(out, value, 0);
  } catch (const nlohmann::json::type_error&) {
    return fail("a name or a label is not UTF-8, which JSON needs");
  }
  return out + '\n';
}

}  // namespace webnn::inline v0_1::formats
