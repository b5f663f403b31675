// .weights files: the bytes of all tensors one after the other, and a manifest in JSON with the
// place of each. A file may begin with "WGWT" and a version; then some manifests count these eight
// bytes and others begin behind them.
#include <cstring>
#include <map>

#include "src/formats/common/failures.h"
#include "src/formats/common/json.h"
#include "src/formats/text/weights.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

using formats::Value;

constexpr std::string_view magic = "WGWT";
constexpr std::uint64_t header_bytes = 8;
constexpr std::uint64_t max_manifest_bytes = std::uint64_t{1} << 24;

struct Place {
  std::uint64_t begin = 0, bytes = 0;
  bool ambiguous = false;
};

using formats::data_error;

class Manifest final : public WeightSource {
 public:
  Manifest(formats::MappedFile file, std::string label)
      : file_(std::move(file)), label_(std::move(label)) {}

  std::optional<Failure> read(const Value& manifest) {
    const Value* tensors = manifest.find("tensors");
    if (!tensors || tensors->kind != Value::Kind::object)
      return data_error(fail("the manifest has no object \"tensors\""));
    for (std::size_t i = 0; i < tensors->items.size(); i += 2) {
      const std::string& name = tensors->items[i].text;
      Place place;
      for (const auto& [key, to] :
           {std::pair("byteOffset", &place.begin), std::pair("byteLength", &place.bytes)}) {
        const Value* v = tensors->items[i + 1].find(key);
        const auto bad = v ? from_value(*v, *to) : fail("it is missing");
        if (bad) return data_error(fail("tensor {}: {}: {}", in_quotes(name), key, bad->message));
      }
      places_.emplace(name, place);
      const auto [it, is_new] = by_normalized_.emplace(normalized(name), place);
      if (!is_new) it->second.ambiguous = true;
    }
    find_base();
    return std::nullopt;
  }

  Result<Constant> constant(const std::string& key, const MLOperandDescriptor& d,
                            formats::Budget& budget) const override {
    auto found = places_.find(key);
    if (found == places_.end()) {
      found = by_normalized_.find(normalized(key));
      if (found == by_normalized_.end())
        return data_error(fail("there is no tensor {} in the manifest", in_quotes(key)));
      if (found->second.ambiguous)
        return data_error(fail("several tensors of the manifest could be {}", in_quotes(key)));
    }
    const auto [begin, bytes, ambiguous] = found->second;
    const std::uint64_t size = file_.bytes.size() - base_;
    if (begin > size || bytes > size - begin)
      return data_error(fail("tensor {}: bytes {} to {} + {} are beyond the {} of {}",
                             in_quotes(key), begin, begin, bytes, size, label_));
    if (bytes != byte_length(d))
      return data_error(fail("tensor {}: there are {} bytes, but shape {} of {} needs {}",
                             in_quotes(key), bytes, d.shape, d.dataType, byte_length(d)));
    const auto view = file_.bytes.subspan(base_ + begin, bytes);
    const std::size_t element = std::max(1, bits_of(d.dataType) / 8);
    if (reinterpret_cast<std::uintptr_t>(view.data()) % element == 0)
      return Constant(file_.owner, view);
    if (auto bad = budget.spend(bytes, "constants")) return *bad;
    return Constant::copy_of(view);
  }

 private:
  /// Where the manifest begins to count: behind the header where a tensor would lie in it, or where
  /// the file then ends with the last tensor.
  void find_base() {
    const std::uint64_t size = file_.bytes.size();
    if (size < header_bytes || std::memcmp(file_.bytes.data(), magic.data(), magic.size()) != 0)
      return;
    std::uint64_t first = size, end = 0;
    for (const auto& [name, place] : places_) {
      first = std::min(first, place.begin);
      if (place.bytes <= size && place.begin <= size)
        end = std::max(end, place.begin + place.bytes);
    }
    if (first < header_bytes || end + header_bytes == size) base_ = header_bytes;
  }

  formats::MappedFile file_;
  std::string label_;
  std::uint64_t base_ = 0;
  std::map<std::string, Place, std::less<>> places_{}, by_normalized_{};
};

}  // namespace

Result<std::unique_ptr<WeightSource>> from_manifest(OpenFile weights, const OpenFile& manifest,
                                                    formats::Budget& budget) {
  const auto refused = [&](const Failure& f) {
    return data_error(fail("{}: {}", manifest.label, f.message));
  };
  const auto text = manifest.contents.bytes;
  if (text.size() > max_manifest_bytes)
    return refused(
        fail("it has {} bytes, but may have at most {}", text.size(), max_manifest_bytes));
  budget.bytes_beside += text.size() + weights.contents.bytes.size();
  if (auto bad = budget.spend(64 * text.size(), "the manifest")) return refused(*bad);
  const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
  const auto json = formats::read_json(view);
  if (!json) return refused(json.failure());
  auto source = std::make_unique<Manifest>(std::move(weights.contents), std::move(weights.label));
  if (auto bad = source->read(*json)) return refused(*bad);
  return std::unique_ptr<WeightSource>(std::move(source));
}

}  // namespace webnn::inline v0_1::text
