#include "bindings/formats/formats.h"

#include <algorithm>

#include "src/formats/common/write_file.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"

namespace webnn::bindings {
namespace {

using tool::Format;

/// A format with this direction.
template <class Member>
const Format& find(std::string_view function, const std::string& path, const std::string& format,
                   Member Format::*direction) {
  const std::string extension = tool::extension_of(path);
  std::string known;
  for (const Format& f : tool::formats()) {
    if (!(f.*direction)) continue;
    const bool fits = format.empty() ? std::find(f.extensions.begin(), f.extensions.end(),
                                                 extension) != f.extensions.end()
                                     : f.name == format;
    if (fits) return f;
    known += (known.empty() ? "" : ", ") + std::string(f.name);
  }
  const std::string asked = format.empty()
                                ? "there is no format for the extension \"" + escaped(extension)
                                : "there is no format \"" + escaped(format);
  throw NotSupportedError(function, path, asked + "\"; there are: " + known);
}

/// The errors of the command as those of the library.
template <class F> auto translated(std::string_view function, const std::string& path, F f) {
  try {
    return f();
  } catch (const tool::Usage& e) {
    throw TypeError(function, path, e.what());
  } catch (const tool::CommandError& e) { throw OperationError(function, path, e.what()); }
}

}  // namespace

tool::Imported import_model(MLGraphBuilder& builder, const std::string& path,
                            const std::string& format, const tool::ReadOptions& options) {
  return translated("import", path, [&] {
    return find("import", path, format, &Format::read).read(builder, path, options);
  });
}

void export_model(const MLGraph& graph, const std::string& path, const std::string& format) {
  translated("export", path, [&] {
    for (const tool::OutputFile& file :
         find("export", path, format, &Format::write).write(graph, path))
      if (auto bad = formats::write_file(
              file.path, [&](const formats::Put& put) { put(std::span(file.bytes)); }))
        throw OperationError("export", file.path.string(), bad->message);
  });
}

}  // namespace webnn::bindings
