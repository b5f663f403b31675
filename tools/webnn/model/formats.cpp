#include "tools/webnn/model/formats.h"

#include <algorithm>

#include "src/formats/common/mapped_file.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"

namespace webnn::inline v0_1::tool {
namespace {

using Direction = bool (*)(const Format&);
bool reads(const Format& f) { return f.read || f.load; }
bool writes(const Format& f) { return f.write != nullptr; }

std::string extensions_of(Direction possible) {
  std::string s;
  for (const Format& f : formats())
    if (possible(f))
      for (std::string_view e : f.extensions) s += (s.empty() ? "." : ", .") + std::string(e);
  return s.empty() ? "there are none, because this webnn was built without any" : s;
}
std::string names_of(Direction possible) {
  std::string s;
  for (const Format& f : formats())
    if (possible(f)) s += (s.empty() ? "" : ", ") + std::string(f.name);
  return s;
}

/// By its name, which `option` gave, or by the extension of the path.
const Format& find(const std::filesystem::path& path, const std::string& name, Direction possible,
                   std::string_view option, std::string_view done) {
  if (!name.empty()) {
    for (const Format& f : formats())
      if (possible(f) && f.name == name) return f;
    throw Usage(std::string(option) + ' ' + escaped(name) + ": it is not a format that can be " +
                std::string(done) + ": " + names_of(possible));
  }
  const std::string extension = extension_of(path);
  for (const Format& f : formats()) {
    if (std::find(f.extensions.begin(), f.extensions.end(), extension) == f.extensions.end())
      continue;
    if (possible(f)) return f;
    if (f.save) throw Usage(shown(path) + ": a compiled graph is written by webnn compile");
  }
  if (possible == &reads)
    if (const Format* f = registry::recognized(source_of(path))) return *f;
  throw Usage(shown(path) + ": its extension is not one that can be " + std::string(done) + ": " +
              extensions_of(possible));
}

}  // namespace

const Format& readable(const std::filesystem::path& path, const std::string& name) {
  if (path == "-")
    throw Usage("-: a model is not read from the standard input; give the name of its file");
  return find(path, name, &reads, "--from", "read");
}

const Format& writable(const std::filesystem::path& path, const std::string& name) {
  if (path == "-" && name.empty())
    throw Usage("-: --to says the format of the standard output: " + names_of(&writes));
  return find(path, name, &writes, "--to", "written");
}

const Format* described(const std::filesystem::path& path, const std::string& name) {
  const auto is = [&](const Format& f) { return f.contents && !reads(f); };
  const std::string extension = extension_of(path);
  for (const Format& f : formats())
    if (is(f) && (name.empty() ? std::ranges::find(f.extensions, extension) != f.extensions.end()
                               : f.name == name))
      return &f;
  if (!name.empty() || path == "-") return nullptr;
  auto file = webnn::formats::map_file(path);
  for (const Format& f : formats())
    if (is(f) && file && f.recognizes && f.recognizes(file->bytes)) return &f;
  return nullptr;
}

}  // namespace webnn::inline v0_1::tool
