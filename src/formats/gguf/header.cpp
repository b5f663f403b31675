#include "src/formats/gguf/header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "src/formats/gguf/types.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::gguf {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t max_dimensions = 4, max_key = 65'535, max_name = 64, max_nesting = 4;
constexpr std::size_t string_type = 8, array_type = 9, bool_type = 7;
constexpr std::string_view type_names[] = {"uint8",  "int8",    "uint16", "int16",  "uint32",
                                           "int32",  "float32", "bool",   "string", "array",
                                           "uint64", "int64",   "float64"};
/// The fewest bytes that a value of each type takes.
constexpr std::uint64_t min_sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
constexpr std::uint64_t min_entry = 8 + 1 + 4 + 1;       // key, type, value
constexpr std::uint64_t min_tensor = 8 + 1 + 4 + 4 + 8;  // name, dimensions, type, offset

/// Calls f with the index of the type of metadata as a constant.
template <std::size_t I = 0, class F> void with_type(std::uint32_t type, F&& f) {
  if constexpr (I < std::variant_size_v<Value>) {
    if (type == I) f(std::integral_constant<std::size_t, I>{});
    else with_type<I + 1>(type, f);
  }
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  std::optional<Failure> read(Header& h) {
    std::uint64_t tensors = 0, entries = 0;
    if (file_.size() < 4 || std::memcmp(file_.data(), "GGUF", 4) != 0)
      return fail("the file does not begin with GGUF");
    at_ = 4;
    if (!take(h.version)) return failure_;
    if (h.version != 2 && h.version != 3) return bad_version(h.version);
    if (!take(tensors) || !take(entries)) return failure_;
    if (entries > left() / min_entry)
      return fail("{} entries of metadata do not fit into the {} bytes after the header's counts",
                  entries, left());
    if (tensors > left() / min_tensor)
      return fail("{} tensors do not fit into the {} bytes after the header's counts", tensors,
                  left());
    h.metadata.reserve(static_cast<std::size_t>(entries));
    for (std::uint64_t i = 0; i < entries; ++i)
      if (!read_entry(h)) return with_place("entry " + std::to_string(i) + " of the metadata");
    h.tensors.reserve(static_cast<std::size_t>(std::min(tensors, left() / min_tensor)));
    for (std::uint64_t i = 0; i < tensors; ++i)
      if (!read_tensor(h)) return with_place("tensor " + std::to_string(i));
    header_end_ = at_;
    return std::nullopt;
  }
  std::uint64_t header_end() const { return header_end_; }

 private:
  static Failure bad_version(std::uint32_t v) {
    const std::uint32_t swapped = v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
    if (swapped >= 1 && swapped <= 3)
      return fail("the file is big-endian; little-endian files are read");
    return fail("version {} of the format is not read; versions 2 and 3 are", v);
  }
  std::uint64_t left() const { return file_.size() - at_; }
  bool stop(Failure f) {
    failure_ = std::move(f);
    return false;
  }
  Failure with_place(const std::string& place) {
    return fail("{}: {}", name_.empty() ? place : in_quotes(name_), failure_->message);
  }

  template <class T> bool take(T& value) {
    if (left() < sizeof(T)) return stop(fail("the file ends at byte {}", file_.size()));
    std::memcpy(&value, file_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  bool take(std::string_view& text) {
    std::uint64_t length = 0;
    if (!take(length)) return false;
    if (length > left())
      return stop(fail("a text of {} bytes exceeds the {} bytes that follow it", length, left()));
    text = {reinterpret_cast<const char*>(file_.data()) + at_, static_cast<std::size_t>(length)};
    at_ += static_cast<std::size_t>(length);
    return true;
  }
  bool take(bool& value) {
    std::uint8_t byte = 0;
    if (!take(byte)) return false;
    value = byte != 0;
    return byte < 2 || stop(fail("a bool is {}, not 0 or 1", byte));
  }

  bool take_type(std::uint32_t& type) {
    if (!take(type)) return false;
    return type < std::size(type_names) || stop(fail("{} is not a type of metadata", type));
  }
  bool take_array(std::shared_ptr<const Array>& value, std::size_t depth) {
    std::uint32_t type = 0;
    std::uint64_t count = 0;
    if (depth == max_nesting) return stop(fail("arrays are more than {} deep", max_nesting));
    if (!take_type(type) || !take(count)) return false;
    if (count > left() / min_sizes[type])
      return stop(fail("an array of {} values of type {} exceeds the {} bytes that follow it",
                       count, type_names[type], left()));
    auto array = std::make_shared<Array>();
    bool good = true;
    with_type(type, [&](auto index) {
      good = take_elements<index()>(*array, static_cast<std::size_t>(count), depth);
    });
    value = std::move(array);
    return good;
  }
  template <std::size_t I> bool take_elements(Array& array, std::size_t count, std::size_t depth) {
    auto& values = array.values.template emplace<I>();
    using T = typename std::remove_reference_t<decltype(values)>::value_type;
    if constexpr (I == string_type || I == array_type || I == bool_type) {
      values.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        std::conditional_t<I == bool_type, bool, T> value{};
        if constexpr (I == array_type) {
          if (!take_array(value, depth + 1)) return false;
        } else if (!take(value)) {
          return false;
        }
        values.push_back(std::move(value));
      }
    } else {
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), file_.data() + at_, count * sizeof(T));
      at_ += count * sizeof(T);
    }
    return true;
  }

  bool read_entry(Header& h) {
    name_ = {};
    std::string_view key;
    std::uint32_t type = 0;
    if (!take(key)) return false;
    if (key.empty()) return stop(fail("the key is empty"));
    if (key.size() > max_key)
      return stop(fail("the key has {} bytes, more than {}", key.size(), max_key));
    name_ = key;
    if (!take_type(type)) return false;
    MetadataEntry& entry = h.metadata.emplace_back(MetadataEntry{key, {}});
    bool good = true;
    with_type(type, [&](auto index) {
      auto& value = entry.value.template emplace<index()>();
      if constexpr (index() == array_type) good = take_array(value, 0);
      else good = take(value);
    });
    if (good && key == "general.alignment") return read_alignment(h, entry.value);
    return good;
  }
  bool read_alignment(Header& h, const Value& value) {
    const auto* alignment = std::get_if<std::uint32_t>(&value);
    if (!alignment) return stop(fail("the value is not of type uint32"));
    if (!std::has_single_bit(*alignment))
      return stop(fail("the alignment ({}) is not a power of two", *alignment));
    h.alignment = *alignment;
    return true;
  }

  bool read_tensor(Header& h) {
    name_ = {};
    TensorInfo& t = h.tensors.emplace_back();
    std::uint32_t rank = 0, type = 0;
    if (!take(t.name)) return false;
    if (t.name.empty()) return stop(fail("the name is empty"));
    if (t.name.size() > max_name)
      return stop(fail("the name has {} bytes, more than {}", t.name.size(), max_name));
    name_ = t.name;
    if (!take(rank)) return false;
    if (rank > max_dimensions)
      return stop(fail("the tensor has {} dimensions, more than {}", rank, max_dimensions));
    t.shape.resize(rank);
    for (std::size_t i = rank; i-- > 0;)
      if (!take(t.shape[i])) return false;
    if (!take(type) || !take(t.begin)) return false;
    t.type = static_cast<TensorType>(type);
    const TypeRow* row = row_of(t.type);
    if (!row) return stop(fail("{} is not a type of tensors", type));
    return set_end(t, *row);
  }
  bool set_end(TensorInfo& t, const TypeRow& row) {
    const std::span<const std::uint64_t> shape(t.shape);
    const std::uint64_t columns = shape.empty() ? 1 : shape.back();
    if (columns % row.layout.elements != 0)
      return stop(fail("the last dimension of shape {} is not a multiple of {}, the block of {}",
                       shape, row.layout.elements, row.name));
    std::uint64_t bytes = row.layout.bytes;
    bool is_empty = false, fits = true;
    const auto multiply = [&](std::uint64_t n) {  // sizes beside a zero must fit too
      is_empty |= n == 0;
      fits = fits && (n == 0 || bytes <= UINT64_MAX / n);
      if (fits && n != 0) bytes *= n;
    };
    multiply(columns / row.layout.elements);
    for (std::size_t i = 0; i + 1 < shape.size(); ++i) multiply(shape[i]);
    if (is_empty && fits) bytes = 0;
    if (!fits || bytes > UINT64_MAX - t.begin)
      return stop(fail("the size of shape {} exceeds 64 bits", shape));
    t.end = t.begin + bytes;
    return true;
  }

  std::span<const std::byte> file_;
  std::size_t at_ = 0;
  std::uint64_t header_end_ = 0;
  std::string_view name_{};  // of the current entry or tensor
  std::optional<Failure> failure_{};
};

/// Tensors must be aligned, inside of the data, and apart.
std::optional<Failure> check_offsets(const Header& h, std::uint64_t data_length) {
  std::vector<const TensorInfo*> all;
  for (const TensorInfo& t : h.tensors) all.push_back(&t);
  std::ranges::sort(all, {}, [](const TensorInfo* t) { return std::pair(t->begin, t->end); });
  const TensorInfo* before = nullptr;
  for (const TensorInfo* t : all) {
    const std::string name = in_quotes(t->name);
    if (t->begin % h.alignment != 0)
      return fail("tensor {}: its offset ({}) is not a multiple of the alignment ({})", name,
                  t->begin, h.alignment);
    if (t->end > data_length)
      return fail("tensor {}: bytes {} to {} exceed the {} bytes of data", name, t->begin, t->end,
                  data_length);
    if (before && t->begin < before->end)
      return fail("tensor {}: bytes {} to {} overlap tensor {}, which ends at {}", name, t->begin,
                  t->end, in_quotes(before->name), before->end);
    if (t->end > t->begin) before = t;
  }
  return std::nullopt;
}

/// Indices in the order of the names; a failure for a name that is given twice.
template <class Items, class Name>
std::optional<Failure> sort_names(const Items& items, Name name, std::string_view kind,
                                  std::vector<std::uint32_t>& order) {
  order.resize(items.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto name_at = [&](std::uint32_t i) -> std::string_view { return items[i].*name; };
  std::ranges::sort(order, {}, name_at);
  const auto twice = std::ranges::adjacent_find(order, {}, name_at);
  if (twice == order.end()) return std::nullopt;
  return fail("{} {} is given twice", kind, in_quotes(name_at(*twice)));
}

std::optional<Failure> read_into(Header& h, std::span<const std::byte> file) {
  Reader reader(file);
  if (auto bad = reader.read(h)) return bad;
  if (auto bad = sort_names(h.metadata, &MetadataEntry::key, "the key", h.by_key)) return bad;
  if (auto bad = sort_names(h.tensors, &TensorInfo::name, "the name of tensor", h.by_name))
    return bad;
  const std::uint64_t end = reader.header_end(), over = end % h.alignment;
  h.data = over == 0 ? end : end + (h.alignment - over);
  return check_offsets(h, h.data > file.size() ? 0 : file.size() - h.data);
}

}  // namespace

Result<Header> read_header(std::span<const std::byte> file) {
  Header h;
  if (auto bad = read_into(h, file)) return Failure{bad->message, ErrorName::DataError};
  return h;
}

}  // namespace webnn::inline v0_1::gguf
