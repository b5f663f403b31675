#include "src/formats/common/value_text.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::formats {
namespace {

constexpr int max_depth = 64;

void write(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') to += '\\';
    to += c;
  }
  to += '"';
}

void write(std::string& to, const Value& v) {
  using Kind = Value::Kind;
  switch (v.kind) {
    case Kind::null: to += "null"; break;
    case Kind::string:
    case Kind::name: write(to, std::string_view(v.text)); break;
    case Kind::list:
    case Kind::object: {
      const bool object = v.kind == Kind::object;
      to += object ? '{' : '[';
      for (std::size_t i = 0; i < v.items.size(); ++i) {
        if (i > 0) to += object && i % 2 == 1 ? ':' : ',';
        write(to, v.items[i]);
      }
      to += object ? '}' : ']';
      break;
    }
    default: to += v.text;
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Value> read() {
    Value v;
    if (!value(v, 0) || at_ != text_.size())
      return fail("byte {} of the text is not as the format has it", at_);
    return v;
  }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w, Value& v, Value::Kind kind) {
    if (!text_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    v.kind = kind;
    if (kind == Value::Kind::boolean) v.text = w;
    return true;
  }
  bool string(Value& v) {
    if (!take('"')) return false;
    v.kind = Value::Kind::string;
    while (!take('"')) {
      take('\\');
      if (at_ == text_.size()) return false;
      v.text += text_[at_++];
    }
    return true;
  }
  bool number(Value& v) {
    const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    if (end == at_) return false;
    v = Value::number(std::string(text_.substr(at_, end - at_)));
    at_ = end;
    return true;
  }
  /// The items behind the first bracket; those of an object are keys and values by turns.
  bool items(Value& v, char end, int depth) {
    const bool object = end == '}';
    v.kind = object ? Value::Kind::object : Value::Kind::list;
    if (take(end)) return true;
    for (std::size_t i = 0;; ++i) {
      const bool key = object && i % 2 == 0;
      if (!(key ? string(v.items.emplace_back()) : value(v.items.emplace_back(), depth + 1)))
        return false;
      if (key ? take(':') : take(',')) continue;
      return !key && take(end);
    }
  }
  bool value(Value& v, int depth) {
    if (depth > max_depth) return false;
    if (take('[')) return items(v, ']', depth);
    if (take('{')) return items(v, '}', depth);
    return string(v) || word("null", v, Value::Kind::null) ||
           word("true", v, Value::Kind::boolean) || word("false", v, Value::Kind::boolean) ||
           number(v);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string compact_text(const Value& value) {
  std::string s;
  write(s, value);
  return s;
}

Result<Value> from_compact_text(std::string_view text) { return Reader(text).read(); }

}  // namespace webnn::inline v0_1::formats
