#include "bindings/formats/formats.h"

#include <algorithm>

#include "src/formats/common/write_file.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"

namespace webnn::inline v0_1::bindings {
namespace {

using tool::Format;

bool fits(const Format& f, const std::string& extension, const std::string& format) {
  if (!format.empty()) return f.name == format;
  return std::find(f.extensions.begin(), f.extensions.end(), extension) != f.extensions.end();
}

/// A format with this direction.
template <class Member>
const Format& find(std::string_view function, const std::string& path, const std::string& format,
                   Member Format::*direction) {
  const std::string extension = tool::extension_of(path);
  std::string known;
  for (const Format& f : tool::formats()) {
    if (f.load && fits(f, extension, format))
      throw NotSupportedError(function, path,
                              function == "import" ? "a compiled graph is loaded, not imported"
                                                   : "a compiled graph is saved, not exported");
    if (!(f.*direction)) continue;
    if (fits(f, extension, format)) return f;
    known += (known.empty() ? "" : ", ") + std::string(f.name);
  }
  const std::string asked = format.empty()
                                ? "there is no format for the extension \"" + escaped(extension)
                                : "there is no format \"" + escaped(format);
  throw NotSupportedError(function, path, asked + "\"; there are: " + known);
}

/// That of compiled graphs.
const Format& compiled_format(std::string_view function, const std::string& path) {
  for (const Format& f : tool::formats())
    if (f.load && f.save) return f;
  throw NotSupportedError(function, path,
                          "this library was built without compiled graphs (WEBNN_COMPILED)");
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

bool is_compiled(const std::string& path, const std::string& format) {
  const auto all = tool::formats();
  const std::string extension = tool::extension_of(path);
  return std::any_of(all.begin(), all.end(),
                     [&](const Format& f) { return f.load && fits(f, extension, format); });
}

tool::Loaded load_graph(const MLContext& context, const std::string& path, bool all) {
  return compiled_format("load", path).load(context, path, all);
}

void save_graph(const tool::Loaded& graph, const std::string& path) {
  compiled_format("save", path).save(graph, path);
}

}  // namespace webnn::inline v0_1::bindings
