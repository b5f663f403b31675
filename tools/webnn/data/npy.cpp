#include "tools/webnn/data/npy.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "src/kernels/common/sizes.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/data/values.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header = 65536, max_dimensions = 32;

/// The header: a literal of Python with three keys, each once, in any order.
class Header {
 public:
  Header(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Array parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !descr_) descr_ = quoted();
      else if (key == "fortran_order" && !fortran_) fortran_ = boolean();
      else if (key == "shape" && !shape_) shape_ = tuple();
      else bad("has an unknown or repeated key " + escaped(key));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ != text_.size()) bad("continues after its dictionary");
    if (!descr_ || !fortran_ || !shape_) bad("lacks descr, fortran_order or shape");
    if (*fortran_) bad("has fortran_order True; numpy.ascontiguousarray() puts it in row order");
    Array a = element(*descr_);
    a.shape = std::move(*shape_);
    return a;
  }

 private:
  [[noreturn]] void bad(const std::string& what) const {
    throw CommandError(name_ + ": the header of the .npy file " + what);
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad("has no '" + std::string(1, c) + "' at byte " + std::to_string(at_));
  }
  std::string_view quoted() {
    skip();
    const char q = at_ < text_.size() ? text_[at_] : '\0';
    if (q != '\'' && q != '"') bad("has no string at byte " + std::to_string(at_));
    const std::size_t end = text_.find(q, at_ + 1);
    if (end == std::string_view::npos) bad("has a string without an end");
    const std::string_view s = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return s;
  }
  bool boolean() {
    skip();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    bad("has a fortran_order that is neither True nor False");
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> all;
    expect('(');
    while (!accept(')')) {
      skip();
      std::uint64_t d = 0;
      const char* from = text_.data() + at_;
      const auto [after, error] = std::from_chars(from, text_.data() + text_.size(), d);
      if (error != std::errc()) bad("has a dimension that is not a number of 64 bits");
      if (all.size() == max_dimensions) bad("has more than 32 dimensions");
      all.push_back(d);
      at_ += static_cast<std::size_t>(after - from);
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return all;
  }
  Array element(std::string_view descr) const {
    const auto is = [&](std::string_view kinds, std::string_view sizes) {
      return kinds.find(descr[1]) != std::string_view::npos &&
             sizes.find(descr[2]) != std::string_view::npos;
    };
    if (descr.size() == 3 && (is("f", "248") || is("iu", "1248") || is("b", "1"))) {
      const int bytes = descr[2] - '0';
      if (descr[0] == '<' || ((descr[0] == '|' || descr[0] == '=') && bytes == 1))
        return {.kind = descr[1], .item_bytes = bytes};
      if (descr[0] == '>' && bytes == 1) return {.kind = descr[1], .item_bytes = bytes};
    }
    // NumPy has no name for the types of ml_dtypes: their bits are there, as those of no type.
    if (descr.size() == 3 && is("V", "12") && descr[0] != '>')
      return {.kind = 'V', .item_bytes = descr[2] - '0'};
    bad("has the type " + escaped(descr) +
        "; little-endian floats of 2, 4 and 8 bytes, integers of 1 to 8, booleans, and the bits of "
        "bfloat16 and float8e4m3 can be read");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::optional<std::string_view> descr_;
  std::optional<bool> fortran_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

template <class T> double number(const std::byte* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return static_cast<double>(v);
}

}  // namespace

std::string Array::type() const {
  if (kind == 'b') return "bool";
  if (kind == 'V') return item_bytes == 2 ? "bfloat16" : "float8e4m3";
  return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + std::to_string(8 * item_bytes);
}

double Array::at(std::uint64_t index) const {
  const std::byte* p = bytes.data() + index * static_cast<std::uint64_t>(item_bytes);
  if (kind == 'f') {
    if (item_bytes == 8) return number<double>(p);
    if (item_bytes == 4) return number<float>(p);
    Float16 h;
    std::memcpy(&h, p, sizeof h);
    return static_cast<double>(static_cast<float>(h));
  }
  if (kind == 'i') {
    if (item_bytes == 8) return number<std::int64_t>(p);
    if (item_bytes == 4) return number<std::int32_t>(p);
    if (item_bytes == 2) return number<std::int16_t>(p);
    return number<std::int8_t>(p);
  }
  if (item_bytes == 8) return number<std::uint64_t>(p);
  if (item_bytes == 4) return number<std::uint32_t>(p);
  if (item_bytes == 2) return number<std::uint16_t>(p);
  return number<std::uint8_t>(p);
}

Array parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, magic.size()) != magic || text.size() < 12)
    throw CommandError(name + ": it is not a .npy file");
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(bytes[i]); };
  const std::uint64_t version = byte(6);
  if (version < 1 || version > 3)
    throw CommandError(name + ": version " + std::to_string(version) +
                       " of .npy files is not known");
  const std::size_t begin = version == 1 ? 10 : 12;
  std::uint64_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > max_header || length > text.size() - begin)
    throw CommandError(name + ": the length (" + std::to_string(length) +
                       ") of the .npy header is greater than " +
                       std::to_string(std::min<std::size_t>(max_header, text.size() - begin)));
  Array a = Header(text.substr(begin, length), name).parse();
  a.bytes = bytes.subspan(begin + length);
  const std::uint64_t room = a.bytes.size() / static_cast<std::uint64_t>(a.item_bytes);
  bool empty = false, too_many = false;
  for (std::uint64_t d : a.shape) empty = empty || d == 0;
  for (std::uint64_t d : a.shape) {
    too_many = too_many || (!empty && d > room / a.count);
    a.count = too_many ? a.count : empty ? 0 : a.count * d;
    if (too_many || empty) break;
  }
  if (too_many || a.count * static_cast<std::uint64_t>(a.item_bytes) != a.bytes.size())
    throw CommandError(name + ": " + std::to_string(a.bytes.size()) +
                       " bytes follow the .npy header, which is not what shape " +
                       detail::Arg(std::span<const std::uint64_t>(a.shape)).text + " of " +
                       a.type() + " needs");
  return a;
}

std::vector<std::byte> npy_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes) {
  static constexpr auto words =
      names("<f4", "<f2", "<i4", "<u4", "<i8", "<u8", "|i1", "|u1", "|i1", "|u1", "<V2", "|V1");
  static_assert(words.size() == enum_names<MLOperandDataType>.size());
  std::string shape;
  for (std::uint32_t n : d.shape) shape += std::to_string(n) + ',';
  if (d.shape.size() > 1) shape.pop_back();
  std::string header = "{'descr': '" + std::string(words[static_cast<std::size_t>(d.dataType)]) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(round_up(header.size() + 10 + 1, 64) - 10 - 1, ' ');
  header += '\n';
  std::string head(magic);
  head += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  head += header;
  const auto front = std::as_bytes(std::span(head));
  std::vector<std::byte> all(front.begin(), front.end());
  if (bits_of(d.dataType) >= 8) {
    all.insert(all.end(), bytes.begin(), bytes.end());
  } else {
    for_each_value(d.dataType, bytes, element_count(d.shape), [&](std::size_t, double v) {
      all.push_back(static_cast<std::byte>(static_cast<int>(v) & 255));
    });
  }
  return all;
}

}  // namespace webnn::inline v0_1::tool
