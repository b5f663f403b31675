// The formats of this build, and how one of them is found for a file.
#include <algorithm>

#include "src/formats/common/mapped_file.h"
#include "src/formats/registry/format.h"
#include "webnn/error.h"
#include "webnn_format_list.h"  // generated

namespace webnn::inline v0_1::registry {
namespace {

bool reads(const Format& f) { return f.read || f.load; }
bool writes(const Format& f) { return f.write != nullptr; }

std::string names_of(bool (*possible)(const Format&)) {
  std::string names;
  for (const Format& f : formats())
    if (possible(f)) names += (names.empty() ? "" : ", ") + std::string(f.name);
  return names.empty() ? "none" : names;
}

const Format* by_name(const std::string& name, bool (*possible)(const Format&)) {
  for (const Format& f : formats())
    if (possible(f) && f.name == name) return &f;
  return nullptr;
}
const Format* by_extension(const std::string& extension, bool (*possible)(const Format&)) {
  for (const Format& f : formats())
    if (possible(f) && std::ranges::find(f.extensions, extension) != f.extensions.end()) return &f;
  return nullptr;
}
const Format* by_content(std::span<const std::byte> file) {
  for (const Format& f : formats())
    if (reads(f) && f.recognizes && f.recognizes(file)) return &f;
  return nullptr;
}

/// By name, extension or content; null where none fits.
const Format* find_readable(const Source& source, const std::string& format) {
  if (!format.empty()) return by_name(format, &reads);
  if (const Format* f = by_extension(extension_of(source.label), &reads)) return f;
  return recognized(source);
}

}  // namespace

std::span<const Format> formats() {
  static const std::vector<Format> all = [] {
    std::vector<Format> list;
    for (const auto make : built_in_formats)
      for (Format& f : make()) list.push_back(std::move(f));
    return list;
  }();
  return all;
}

std::optional<formats::FileFailure> write(std::span<const OutputFile> files) {
  std::vector<formats::NewFile> all;
  for (const OutputFile& file : files) all.push_back(formats::file_of(file.path, file.bytes));
  return formats::write_files(all);
}

const Format* recognized(const Source& source) {
  if (source.in_memory()) return by_content(source.bytes);
  auto file = formats::map_file(source.path);
  return file ? by_content(file->bytes) : nullptr;
}

std::string extension_of(const std::filesystem::path& path) {
  std::string e = path.extension().string();
  if (!e.empty()) e.erase(0, 1);
  std::ranges::transform(e, e.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return e;
}

const Format& readable(const Source& source, const std::string& format) {
  if (const Format* f = find_readable(source, format)) return *f;
  const std::string they_are = "; there are: " + names_of(&reads);
  if (!format.empty())
    throw NotSupportedError("import", source.label,
                            "there is no format \"" + escaped(format) + '"' + they_are);
  if (source.in_memory())
    throw NotSupportedError(
        "import", source.label,
        "the content of the bytes does not show their format; name it in the option format" +
            they_are);
  throw NotSupportedError("import", source.label,
                          "there is no format for the extension \"" +
                              escaped(extension_of(source.label)) + "\" or this content" +
                              they_are);
}

const Format& writable(const Path& path, const std::string& format) {
  const std::string extension = extension_of(path);
  const Format* f = format.empty() ? by_extension(extension, &writes) : by_name(format, &writes);
  if (f) return *f;
  const auto saves = [](const Format& g) { return g.save != nullptr; };
  if (format.empty() ? by_extension(extension, saves) : by_name(format, saves))
    throw NotSupportedError("export", path, "a compiled graph is saved, not exported");
  throw NotSupportedError(
      "export", path,
      (format.empty() ? "there is no format for the extension \"" + escaped(extension)
                      : "there is no format \"" + escaped(format)) +
          "\"; there are: " + names_of(&writes));
}

const Format& compiled_format(std::string_view function, std::string_view label) {
  for (const Format& f : formats())
    if (f.load && f.save) return f;
  throw NotSupportedError(function, label,
                          "this library was built without compiled graphs (WEBNN_COMPILED)");
}

bool is_compiled(const Source& source, const std::string& format) {
  const Format* f = find_readable(source, format);
  return f && f->load;
}

}  // namespace webnn::inline v0_1::registry
