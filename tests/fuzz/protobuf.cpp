#include "tests/fuzz/protobuf.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace webnn::inline v0_1::fuzz {
namespace {

using Text = std::string_view;

std::optional<std::uint64_t> varint(Text& at) {
  std::uint64_t v = 0;
  for (int shift = 0; shift < 64 && !at.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(at[0]);
    at.remove_prefix(1);
    v |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return v;
  }
  return std::nullopt;
}
void put_varint(std::string& to, std::uint64_t v) {
  for (; v >= 128; v >>= 7) to += static_cast<char>(v | 128);
  to += static_cast<char>(v);
}

/// A field: its tag, and of one with a length its contents, else the bytes of its value.
struct Field {
  std::uint64_t tag = 0;
  std::string value{};

  bool has_length() const { return (tag & 7) == 2; }
};

/// Nothing when the bytes are not a message.
std::optional<std::vector<Field>> fields_of(Text at) {
  std::vector<Field> fields;
  while (!at.empty()) {
    const auto tag = varint(at);
    if (!tag || *tag < 8) return std::nullopt;
    const Text before = at;
    std::uint64_t size = 0;
    switch (*tag & 7) {
      case 0:
        if (!varint(at)) return std::nullopt;
        fields.push_back({*tag, std::string(before.substr(0, before.size() - at.size()))});
        continue;
      case 1: size = 8; break;
      case 5: size = 4; break;
      case 2: {
        const auto length = varint(at);
        if (!length) return std::nullopt;
        size = *length;
        break;
      }
      default: return std::nullopt;
    }
    if (size > at.size()) return std::nullopt;
    fields.push_back({*tag, std::string(at.substr(0, size))});
    at.remove_prefix(size);
  }
  return fields;
}

std::string text_of(const std::vector<Field>& fields) {
  std::string all;
  for (const Field& f : fields) {
    put_varint(all, f.tag);
    if (f.has_length()) put_varint(all, f.value.size());
    all += f.value;
  }
  return all;
}

std::string mutated(const std::string& text, std::mt19937& random, Mutate mutate, int depth) {
  const auto below = [&](std::size_t n) { return random() % n; };
  auto fields = fields_of(text);
  if (!fields || fields->empty()) {
    std::string bytes = text;
    bytes.resize(text.size() + 16);
    bytes.resize(mutate(reinterpret_cast<std::uint8_t*>(bytes.data()), text.size(), bytes.size()));
    return bytes;
  }
  const std::size_t i = below(fields->size()), k = below(fields->size());
  const auto at = [&](std::size_t n) { return fields->begin() + static_cast<std::ptrdiff_t>(n); };
  switch (depth < 12 ? below(8) : below(3)) {
    case 0: fields->erase(at(i)); break;
    case 1: {
      const Field copy = (*fields)[i];
      fields->insert(at(k), copy);
      break;
    }
    case 2: (*fields)[i].value = (*fields)[k].value; break;
    default:
      if (!(*fields)[i].has_length()) {  // another number
        std::string number;
        if (((*fields)[i].tag & 7) == 0)
          put_varint(number, below(4) ? below(64) : ~std::uint64_t{0} >> below(64));
        else
          for (char& c : number = (*fields)[i].value) c = static_cast<char>(below(256));
        (*fields)[i].value = number;
      } else {
        (*fields)[i].value = mutated((*fields)[i].value, random, mutate, depth + 1);
      }
  }
  return text_of(*fields);
}

}  // namespace

std::size_t mutate_protobuf(std::uint8_t* data, std::size_t size, std::size_t max, unsigned seed,
                            Mutate mutate) {
  std::mt19937 random(seed);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string result = mutated(text, random, mutate, 0);
  if (result.empty() || result.size() > max) return mutate(data, size, max);
  std::copy(result.begin(), result.end(), reinterpret_cast<char*>(data));
  return result.size();
}

}  // namespace webnn::inline v0_1::fuzz
