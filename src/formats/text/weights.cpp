#include "src/formats/text/weights.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "src/builder/validate.h"
#include "src/formats/common/failures.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

namespace fs = std::filesystem;

using formats::data_error;

class Safetensors final : public WeightSource {
 public:
  Safetensors(safetensors::File file, std::string label)
      : file_(std::move(file)), label_(std::move(label)) {
    for (const safetensors::TensorInfo& t : file_.tensors()) {
      const auto [it, is_new] = by_normalized_.emplace(normalized(t.name), &t);
      if (!is_new) it->second = nullptr;
    }
  }

  Result<Constant> constant(const std::string& key, const MLOperandDescriptor& d,
                            formats::Budget& budget) const override {
    const auto info = find(key);
    if (!info) return info.failure();
    const safetensors::TensorInfo& t = **info;
    if (bits_of(d.dataType) == 4) return packed(t, d);
    if (!std::equal(t.shape.begin(), t.shape.end(), d.shape.begin(), d.shape.end()))
      return wrong(t, fail("its shape is {}, not {}", t.shape, d.shape));
    if (t.dtype == "BF16" && d.dataType == float32) return widened(t, budget);
    const bool boolean = t.dtype == "BOOL" && d.dataType == uint8;
    if (t.dataType != d.dataType && !boolean)
      return wrong(t, fail("it is {}, not {}", t.dtype, d.dataType));
    if (reinterpret_cast<std::uintptr_t>(file_.bytes(t.name).data()) %
            (static_cast<std::size_t>(bits_of(d.dataType)) / 8) !=
        0)
      if (auto bad = budget.spend(byte_length(d), "constants")) return *bad;
    return file_.constant(t.name);
  }

 private:
  Failure wrong(const safetensors::TensorInfo& t, const Failure& f) const {
    return data_error(fail("tensor {} of {}: {}", in_quotes(t.name), label_, f.message));
  }

  Result<const safetensors::TensorInfo*> find(const std::string& key) const {
    if (file_.contains(key)) return &file_.info(key);
    const auto found = by_normalized_.find(normalized(key));
    if (found == by_normalized_.end())
      return data_error(fail("there is no tensor {} in {}", in_quotes(key), label_));
    if (!found->second)
      return data_error(fail("several tensors in {} could be {}", label_, in_quotes(key)));
    return found->second;
  }

  Result<Constant> packed(const safetensors::TensorInfo& t, const MLOperandDescriptor& d) const {
    const auto version = file_.metadata().find(packed4_key);
    if (version == file_.metadata().end() || version->second != packed4_version)
      return wrong(t, fail("the file does not say that it has {}, with the metadata {}={}",
                           d.dataType, packed4_key, packed4_version));
    if (t.dtype != "U8" || t.shape != std::vector<std::uint64_t>{byte_length(d)})
      return wrong(t, fail("it is {} {}, not the bytes ({}) of {} {}", t.dtype, t.shape,
                           byte_length(d), d.dataType, d.shape));
    return file_.constant(t.name);
  }

  Result<Constant> widened(const safetensors::TensorInfo& t, formats::Budget& budget) const {
    const std::span<const std::byte> from = file_.bytes(t.name);
    if (auto bad = budget.spend(2 * from.size(), "constants")) return *bad;
    auto to = std::make_shared<std::vector<std::byte>>(2 * from.size());
    for (std::size_t i = 0; i + 1 < from.size(); i += 2) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, &from[i], 2);
      const std::uint32_t wide = std::uint32_t{bits} << 16;
      std::memcpy(&(*to)[2 * i], &wide, 4);
    }
    const std::span<const std::byte> view(*to);
    return Constant::transferred(std::move(to), view);
  }

  safetensors::File file_;
  std::string label_;
  std::map<std::string, const safetensors::TensorInfo*, std::less<>> by_normalized_{};
};

Failure refused(const fs::path& path, const Failure& f) {
  return data_error(fail("{}: {}", path.string(), f.message));
}

std::unique_ptr<WeightSource> open_safetensors(OpenFile file, formats::Budget& budget) {
  auto& [owner, bytes] = file.contents;
  auto weights = safetensors::File::from_bytes(std::move(owner), bytes, file.label);
  return from_safetensors(std::move(weights), std::move(file.label), budget);
}

/// The manifest is a file beside the weights.
Result<std::unique_ptr<WeightSource>> open_with_manifest(OpenFile file,
                                                         const formats::ModelFolder& folder,
                                                         formats::Budget& budget) {
  fs::path own = file.label, common = file.label;
  own.replace_extension(".manifest.json");
  common.replace_filename("manifest.json");
  for (const fs::path& manifest : {own, common}) {
    auto found = formats::map_if_beside(folder, manifest.filename().string());
    if (!found) return refused(manifest, found.failure());
    if (*found)
      return from_manifest(std::move(file), {std::move(**found), manifest.string()}, budget);
  }
  return data_error(fail("{} needs a manifest, which is in neither {} nor {}", file.label,
                         own.string(), common.string()));
}

Result<std::unique_ptr<WeightSource>> open_weights_file(OpenFile file,
                                                        const formats::ModelFolder& folder,
                                                        formats::Budget& budget) {
  if (fs::path(file.label).extension() == ".weights")
    return open_with_manifest(std::move(file), folder, budget);
  return open_safetensors(std::move(file), budget);
}

/// A file of the caller, who may name any.
Result<std::unique_ptr<WeightSource>> open_path(const fs::path& path, formats::Budget& budget) {
  auto file = formats::map_model(path);
  if (!file) raise(file.failure(), "safetensors", path.string());
  return open_weights_file({std::move(file->contents), path.string()}, *file->folder, budget);
}

}  // namespace

std::string normalized(std::string_view name) {
  std::string s;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool colons = name.substr(i, 2) == "::";
    s += colons ? "__" : std::string(1, name[i] == '.' ? '_' : name[i]);
    i += colons;
  }
  return s;
}

std::unique_ptr<WeightSource> from_safetensors(safetensors::File file, std::string label,
                                               formats::Budget& budget) {
  for (const safetensors::TensorInfo& t : file.tensors()) budget.bytes_beside += t.end - t.begin;
  return std::make_unique<Safetensors>(std::move(file), std::move(label));
}

Result<std::unique_ptr<WeightSource>> open_weights(const ImportOptions& options,
                                                   const TextFile& text, formats::Budget& budget) {
  if (options.weights) return from_safetensors(*options.weights, "the weights given", budget);
  if (!options.weights_path.empty()) return open_path(options.weights_path, budget);
  if (!text.folder) return data_error(fail("weights are needed, and no file with them is given"));
  std::string tried;
  for (const bool own : {true, false})
    for (const char* extension : {".safetensors", ".weights"}) {
      fs::path path = text.path;
      if (!own) path.replace_filename("model");
      path.replace_extension(extension);
      auto file = formats::map_if_beside(*text.folder, path.filename().string());
      if (!file) return refused(path, file.failure());
      if (*file) return open_weights_file({std::move(**file), path.string()}, *text.folder, budget);
      tried += (tried.empty() ? "" : ", ") + path.filename().string();
    }
  return data_error(fail("weights are needed, and there is none of {} beside the file", tried));
}

}  // namespace webnn::inline v0_1::text
