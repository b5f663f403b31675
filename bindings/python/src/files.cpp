// Models, compiled graphs and images in files.
#include <pybind11/stl.h>

#include <algorithm>

#include "bindings/python/src/dtypes.h"
#include "bindings/python/src/module.h"
#include "src/formats/registry/format.h"
#include "tools/images/image.h"
#include "webnn/compiled.h"

namespace webnn::inline v0_1::python {
namespace {

py::list named(NamedOperands& all) {
  py::list list;
  for (auto& [name, x] : all) list.append(py::make_tuple(to_python(name), py::cast(std::move(x))));
  return list;
}
py::list quantizations(const registry::Quantizations& all) {
  py::list list;
  for (const auto& q : all)
    list.append(q ? py::object(py::make_tuple(q->scale, q->zero_point)) : py::object(py::none()));
  return list;
}

/// What a file that is open for reading bytes has; others as they are.
py::object contents_of(const py::object& from, std::string_view method) {
  if (!py::hasattr(from, "read") || PyObject_CheckBuffer(from.ptr()) ||
      py::hasattr(from, "__fspath__"))
    return from;
  py::object all = from.attr("read")();
  if (py::isinstance<py::str>(all))
    Where{method, "path"}.reject("is a file that is open for text: open it with the mode \"rb\"");
  return all;
}

/// The name of a file, or the contents of one: those that may change later are copied.
registry::Source source_of(const py::object& from, std::string_view method) {
  const bool is_contents = !py::isinstance<py::str>(from) && PyObject_CheckBuffer(from.ptr());
  if (!is_contents) {
    if (!py::isinstance<py::str>(from) && !py::hasattr(from, "__fspath__"))
      Where{method, "path"}.reject(
          '(' + std::string(Py_TYPE(from.ptr())->tp_name) +
          ") is neither the name of a file nor bytes, nor a file that is open for reading bytes");
    const std::string path = path_of(from);
    if (path.empty()) Where{method, "path"}.reject("is empty");
    return {.path = path, .label = path};
  }
  Buffer buffer(from, Access::read, {method, "path"});
  const auto values = buffer.read_only()
                          ? std::make_shared<const Constant>(shared(std::move(buffer)))
                          : std::make_shared<const Constant>(Constant::copy_of(buffer.bytes()));
  return {.owner = values, .bytes = values->bytes(), .label = "bytes"};
}

py::object decoded(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

std::map<std::string, ImportOptions::Value> values_of(const py::dict& given) {
  std::map<std::string, ImportOptions::Value> all;
  for_each_item(given, {"importModel", "values"}, [&](std::string_view name, py::handle value) {
    const Buffer buffer(value, Access::read, {"importModel", name});
    all[std::string(name)] = {
        buffer.shape(), {buffer.bytes().begin(), buffer.bytes().end()}, buffer.type()};
  });
  return all;
}

py::dict import_model(MLGraphBuilder& builder, const py::object& given, const std::string& format,
                      std::map<std::string, Dims> shapes,
                      std::map<std::string, std::uint32_t> dimensions, std::string signature,
                      std::size_t subgraph, const py::dict& values,
                      std::vector<std::string> outputs, const py::object& weights,
                      std::optional<std::uint64_t> max_bytes) {
  const ImportOptions options{.format = format,
                              .dimensions = std::move(dimensions),
                              .shapes = std::move(shapes),
                              .values = values_of(values),
                              .outputs = std::move(outputs),
                              .signature = std::move(signature),
                              .subgraph = subgraph,
                              .weights = path_of(weights),
                              .max_bytes = max_bytes};
  const py::object from = contents_of(given, "importModel");
  registry::Source source = source_of(from, "importModel");
  ImportedModel model;
  if (source.in_memory()) {
    const WithoutGil release;
    model = webnn::import_model(builder, source.owner, source.bytes, options, source.label);
    source.owner.reset();
  } else {
    try {
      model = with_os_errors("check_readable", from, [&] {
        return webnn::import_model(builder, Path(source.path), options);
      });
    } catch (const NotSupportedError&) {  // a folder has no format
      py::module_::import("webnn._files").attr("check_readable")(from);
      throw;
    }
  }
  py::dict all;
  all["format"] = to_python(model.format);
  all["inputs"] = named(model.inputs);
  all["outputs"] = named(model.outputs);
  all["inputQuantization"] = quantizations(model.input_quantization);
  all["outputQuantization"] = quantizations(model.output_quantization);
  all["description"] = decoded(model.description);
  return all;
}

py::bytes exported_bytes(const MLGraph& graph, const std::string& format) {
  std::vector<std::byte> file;
  {
    const WithoutGil release;
    file = webnn::exported_bytes(graph, format);
  }
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

/// The graph, and what a Model has beside it.
py::tuple load_compiled(const MLContext& context, const py::object& given,
                        const std::string& verify) {
  const py::object from = contents_of(given, "loadGraph");
  registry::Source source = source_of(from, "loadGraph");
  const auto all = enum_from<compiled::Verify>(verify);
  if (!all)
    throw TypeError("load", source.label,
                    "verify is \"" + escaped(verify) + "\", not small or full");
  const bool full = *all == compiled::Verify::full;
  const registry::Format& format = registry::compiled_format("load", source.label);
  registry::Loaded model;
  if (source.in_memory()) {
    const WithoutGil release;
    model = format.load(context, source, full);
    source = {};
  } else {
    model =
        with_os_errors("check_readable", from, [&] { return format.load(context, source, full); });
  }
  py::dict more;
  more["inputQuantization"] = quantizations(model.input_quantization);
  more["outputQuantization"] = quantizations(model.output_quantization);
  more["description"] = decoded(model.description);
  return py::make_tuple(py::cast(std::move(model.graph)), more);
}

using GivenQuantizations = std::vector<std::optional<std::pair<float, std::int32_t>>>;
registry::Quantizations quantizations(const GivenQuantizations& given) {
  registry::Quantizations all;
  for (const auto& q : given)
    all.push_back(q ? std::optional(ImportedModel::Quantization{q->first, q->second})
                    : std::nullopt);
  return all;
}
void save_compiled(const MLGraph& graph, const py::object& to, const GivenQuantizations& inputs,
                   const GivenQuantizations& outputs, std::string description) {
  const registry::Loaded model{.graph = graph,
                               .input_quantization = quantizations(inputs),
                               .output_quantization = quantizations(outputs),
                               .description = std::move(description)};
  const std::string path = path_of(to);
  const registry::Format& format = registry::compiled_format("save", path);
  with_os_errors("check_writable", to, [&] { format.save(model, path); });
}

void export_model(const MLGraph& graph, const py::object& to, const std::string& format) {
  const std::string path = path_of(to);
  with_os_errors("check_writable", to,
                 [&] { webnn::export_model(graph, path, {.format = format}); });
}

py::object read_image(const py::object& from, std::uint32_t channels, std::uint32_t width,
                      std::uint32_t height) {
  const std::string path = path_of(from);
  const MLOperandDescriptor d{float32, {height, width, channels}};
  if (element_count(d.shape) == 0 || element_count(d.shape) > images::max_pixels)
    throw TypeError("readImage", path, "its size is not between 1 and 2^26 elements");
  const images::Image image = with_os_errors("check_readable", from, [&] {
    try {
      return images::resize(images::read_image(path, channels), width, height,
                            images::Resize::crop);
    } catch (const images::ImageError& e) { throw DataError("readImage", path, e.what()); }
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
  for (const ModelFormat& f : model_formats()) {
    py::list extensions;
    for (const std::string_view e : f.extensions) extensions.append(to_python(e));
    py::dict one;
    one["name"] = to_python(f.name);
    one["about"] = to_python(f.about);
    one["extensions"] = extensions;
    one["reads"] = f.imports;
    one["writes"] = f.exports;
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
      py::arg("subgraph") = 0, py::kw_only(), py::arg("values") = py::dict(),
      py::arg("outputs") = std::vector<std::string>(), py::arg("weights") = "",
      py::arg("maxBytes") = py::none(),
      "importModel(builder, path, format='', shapes={}, dimensions={}, signature='', "
      "subgraph=0, *, values={}, outputs=[], weights='', maxBytes=None)\n\nAdds the model of "
      "a file, or of bytes that are one, to a builder. values is a dict of arrays by the names of "
      "inputs, which become constants where shapes follow from them; outputs is a list of names of "
      "values that become the outputs; weights is the file with the weights of a .webnn or "
      ".json file; maxBytes limits the memory for what is not shared with the file. Returns "
      "a dict: format, inputs and outputs, lists of (name, MLOperand), inputQuantization "
      "and outputQuantization, and description.");
  module.def("exportModel", &export_model, py::arg("graph"), py::arg("path"),
             py::arg("format") = "",
             "exportModel(graph, path, format='')\n\nWrites a graph, which was built in a context "
             "with keepConstants=True, to a file.");
  module.def("exportedBytes", &exported_bytes, py::arg("graph"), py::arg("format"),
             "exportedBytes(graph, format)\n\nThe bytes of a file that exportModel() would write, "
             "with the weights in it.");
  module.def(
      "_isCompiled",
      [](const py::object& from, const std::string& format) {
        return registry::is_compiled(source_of(from, "load"), format);
      },
      py::arg("path"), py::arg("format"));
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
  module.def(
      "_dtype",
      [](const py::object& type) {
        return dtype_of(data_type(type, {"dtype", "type"}));
      },
      py::arg("dataType"));
  module.def(
      "_converted",
      [](const py::object& array, const py::object& type) {
        return converted(array, data_type(type, {"converted", "type"}));
      },
      py::arg("array"), py::arg("dataType"));
  module.def("formats", &formats, "formats()\n\nThe file formats of this build, as dicts.");
}

}  // namespace webnn::inline v0_1::python
