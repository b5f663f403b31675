// Models, compiled graphs and images in files.
#include <pybind11/stl.h>

#include <algorithm>

#include "bindings/formats/formats.h"
#include "bindings/formats/memory.h"
#include "bindings/python/src/module.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/data/image.h"
#include "webnn/compiled.h"

namespace webnn::inline v0_1::python {
namespace {

py::list named(NamedOperands& all) {
  py::list list;
  for (auto& [name, x] : all) list.append(py::make_tuple(to_python(name), py::cast(std::move(x))));
  return list;
}
py::list quantizations(const std::vector<std::optional<tool::Quantization>>& all) {
  py::list list;
  for (const auto& q : all)
    list.append(q ? py::object(py::make_tuple(q->scale, q->zero_point)) : py::object(py::none()));
  return list;
}

py::object decoded(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

/// Whether it is the contents of a file, and not its name.
bool is_contents(const py::object& source) {
  return !py::isinstance<py::str>(source) && PyObject_CheckBuffer(source.ptr());
}
std::optional<bindings::Contents> contents_of(const py::object& source, Where where) {
  if (!is_contents(source)) return std::nullopt;
  Buffer buffer(source, Access::read, where);
  bindings::Contents contents;
  if (buffer.read_only()) {
    const auto values = std::make_shared<const Constant>(shared(std::move(buffer)));
    contents.bytes = values->bytes();
    contents.owner = values;
  } else {  // which may change
    const auto copy = std::make_shared<const Constant>(Constant::copy_of(buffer.bytes()));
    contents.bytes = copy->bytes();
    contents.owner = copy;
  }
  return contents;
}

py::dict import_model(MLGraphBuilder& builder, const py::object& source, const std::string& format,
                      std::map<std::string, Dims> shapes,
                      std::map<std::string, std::uint32_t> dimensions, std::string signature,
                      std::size_t subgraph) {
  tool::ReadOptions options;
  options.shapes = std::move(shapes);
  options.dimensions = std::move(dimensions);
  options.signature = std::move(signature);
  options.subgraph = subgraph;
  tool::Imported model;
  if (auto contents = contents_of(source, {"importModel", "path"})) {
    const py::gil_scoped_release release;
    model = bindings::import_model(builder, *contents, "bytes", format, options);
    contents.reset();
  } else {
    const std::string path = path_of(source);
    model = with_os_errors("check_readable", source,
                           [&] { return bindings::import_model(builder, path, format, options); });
  }
  py::dict all;
  all["inputs"] = named(model.inputs);
  all["outputs"] = named(model.outputs);
  all["inputQuantization"] = quantizations(model.input_quantization);
  all["outputQuantization"] = quantizations(model.output_quantization);
  all["description"] = decoded(model.description);
  return all;
}

/// The graph, and what a Model has beside it.
py::tuple load_compiled(const MLContext& context, const py::object& source,
                        const std::string& verify) {
  auto contents = contents_of(source, {"loadGraph", "path"});
  const std::string label = contents ? "bytes" : path_of(source);
  const auto all = enum_from<compiled::Verify>(verify);
  if (!all)
    throw TypeError("load", label, "verify is \"" + escaped(verify) + "\", not small or full");
  const bool full = *all == compiled::Verify::full;
  tool::Loaded model;
  if (contents) {
    const py::gil_scoped_release release;
    model = bindings::load_graph(context, *contents, label, full);
    contents.reset();
  } else {
    model = with_os_errors("check_readable", source,
                           [&] { return bindings::load_graph(context, label, full); });
  }
  py::dict more;
  more["inputQuantization"] = quantizations(model.input_quantization);
  more["outputQuantization"] = quantizations(model.output_quantization);
  more["description"] = decoded(model.description);
  return py::make_tuple(py::cast(std::move(model.graph)), more);
}

using GivenQuantizations = std::vector<std::optional<std::pair<float, std::int32_t>>>;
std::vector<std::optional<tool::Quantization>> quantizations(const GivenQuantizations& given) {
  std::vector<std::optional<tool::Quantization>> all;
  for (const auto& q : given)
    all.push_back(q ? std::optional(tool::Quantization{q->first, q->second}) : std::nullopt);
  return all;
}
void save_compiled(const MLGraph& graph, const py::object& to, const GivenQuantizations& inputs,
                   const GivenQuantizations& outputs, std::string description) {
  const tool::Loaded model{.graph = graph,
                           .input_quantization = quantizations(inputs),
                           .output_quantization = quantizations(outputs),
                           .description = std::move(description)};
  const std::string path = path_of(to);
  with_os_errors("check_writable", to, [&] { bindings::save_graph(model, path); });
}

void export_model(const MLGraph& graph, const py::object& to, const std::string& format) {
  const std::string path = path_of(to);
  with_os_errors("check_writable", to, [&] { bindings::export_model(graph, path, format); });
}

/// Whether a file, or what is one in memory, is a compiled graph.
bool is_compiled(const py::object& source, const std::string& format) {
  if (!is_contents(source)) return bindings::is_compiled(path_of(source), format);
  const Buffer buffer(source, Access::read, {"load", "path"});
  return (format.empty() ? bindings::format_of(buffer.bytes()) : format) == "compiled";
}

py::object read_image(const py::object& from, std::uint32_t channels, std::uint32_t width,
                      std::uint32_t height) {
  const std::string path = path_of(from);
  const MLOperandDescriptor d{float32, {height, width, channels}};
  if (element_count(d.shape) == 0 || element_count(d.shape) > tool::max_pixels)
    throw TypeError("readImage", path, "its size is not between 1 and 2^26 elements");
  const tool::Image image = with_os_errors("check_readable", from, [&] {
    try {
      return tool::resize(tool::read_image(path, channels), width, height, tool::Resize::crop);
    } catch (const tool::CommandError& e) { throw DataError("readImage", path, e.what()); }
  });
  std::byte* data = nullptr;
  py::object array = new_array(d, &data);
  std::copy_n(image.values.data(), image.values.size(), reinterpret_cast<float*>(data));
  return array;
}

/// Where the library reads an array, for tests.
py::dict view(const py::object& array, const std::string& type) {
  const Where where{"view", "array"};
  const Buffer buffer(array, Access::read, where, data_type(py::str(type), where));
  py::dict all;
  all["address"] = reinterpret_cast<std::uintptr_t>(buffer.data());
  all["bytes"] = buffer.size();
  all["dataType"] = buffer.type() ? py::object(to_python(name_of(*buffer.type()))) : py::none();
  all["shape"] = to_python(buffer.shape());
  return all;
}

py::list formats() {
  py::list list;
  for (const tool::Format& f : tool::formats()) {
    if (!f.converts()) continue;
    py::list extensions;
    for (const std::string_view e : f.extensions) extensions.append(to_python(e));
    py::dict one;
    one["name"] = to_python(f.name);
    one["about"] = to_python(f.about);
    one["extensions"] = extensions;
    one["reads"] = f.read != nullptr;
    one["writes"] = f.write != nullptr;
    list.append(one);
  }
  return list;
}

}  // namespace

std::string path_of(py::handle object) {
  PyObject* bytes = nullptr;
  if (!PyUnicode_FSConverter(object.ptr(), &bytes)) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

void define_files(py::module_& module) {
  module.def(
      "importModel", &import_model, py::arg("builder"), py::arg("path"), py::arg("format") = "",
      py::arg("shapes") = std::map<std::string, Dims>(),
      py::arg("dimensions") = std::map<std::string, std::uint32_t>(), py::arg("signature") = "",
      py::arg("subgraph") = 0,
      "importModel(builder, path, format='', shapes={}, dimensions={}, signature='', "
      "subgraph=0)\n\nAdds the model of a file, or of bytes that are one, to a builder. Returns a "
      "dict with inputs and outputs, lists of (name, MLOperand).");
  module.def("exportModel", &export_model, py::arg("graph"), py::arg("path"),
             py::arg("format") = "",
             "exportModel(graph, path, format='')\n\nWrites a graph, which was built in a context "
             "with keepConstants=True, to a file.");
  module.def("_isCompiled", &is_compiled, py::arg("path"), py::arg("format"));
  module.def("_loadCompiled", &load_compiled, py::arg("context"), py::arg("path"),
             py::arg("verify"));
  module.def("_saveCompiled", &save_compiled, py::arg("graph"), py::arg("path"),
             py::arg("inputQuantization"), py::arg("outputQuantization"), py::arg("description"));
  module.def(
      "readImage", &read_image, py::arg("path"), py::arg("channels"), py::arg("width"),
      py::arg("height"),
      "readImage(path, channels, width, height)\n\nA PNG, JPEG or BMP file, resized and "
      "cropped in the middle: float32 from 0 to 255 of the shape [height, width, channels].");
  module.def("_view", &view, py::arg("array"), py::arg("dataType"));
  module.def("formats", &formats, "formats()\n\nThe file formats of this build, as dicts.");
}

}  // namespace webnn::inline v0_1::python
