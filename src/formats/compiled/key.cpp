#include "src/formats/compiled/key.h"

#include <algorithm>
#include <bit>

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/backends.h"
#include "src/runtime/compile.h"
#include "webnn/version.h"

namespace webnn::inline v0_1::compiled {
namespace {

/// What the version of a backend is called.
std::string field_of(std::string_view backend) {
  if (backend == "simd") return "instruction set";
  if (backend == "onednn") return "version of oneDNN";
  if (backend == "xnnpack") return "version of XNNPACK";
  return "version of " + std::string(backend);
}

}  // namespace

Key key_of(std::span<const std::shared_ptr<const Backend>> backends, const std::string& passes) {
  std::string order;
  Key versions;
  for (const auto& b : backends) {
    const std::string name = escaped(b->name());
    order += (order.empty() ? "" : ",") + name;
    if (const auto* versioned = dynamic_cast<const VersionedBackend*>(b.get()))
      versions.push_back({field_of(name), versioned->version()});
  }
  Key key{{"library version", std::string(version()) + ", " +
                                  (std::endian::native == std::endian::little ? "little" : "big") +
                                  " endian"},
          {"backend order", order}};
  key.insert(key.end(), versions.begin(), versions.end());
  key.push_back({"passes", passes});
  return key;
}

Key key_of(const MLContext& context) {
  return key_of(detail::state_of(context)->backends, pass_names_of(chosen_passes()));
}

std::string to_text(const Key& key) {
  std::string s;
  for (const auto& [name, value] : key) s += name + '=' + value + '\n';
  return s;
}

Key key_from(std::string_view text) {
  Key key;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t at = std::min(line.find('='), line.size());
    key.push_back(
        {std::string(line.substr(0, at)), std::string(line.substr(std::min(at + 1, line.size())))});
  }
  return key;
}

std::optional<Failure> difference(const Key& of_file, const Key& here) {
  const auto value = [](const Key& key, const std::string& name) {
    const auto found =
        std::find_if(key.begin(), key.end(), [&](const KeyField& f) { return f.name == name; });
    return found == key.end() || found->value.empty() ? std::string("none") : found->value;
  };
  for (const KeyField& f : here) {
    const std::string theirs = value(of_file, f.name), ours = value(here, f.name);
    if (theirs != ours)
      return formats::data_error(
          fail("it was compiled for {} {}; this context has {}", f.name, escaped(theirs), ours));
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::compiled
