// The options of MLContext, from the rows of src/runtime/context_options.h.
#include "src/runtime/context_options.h"

#include "bindings/python/src/listeners.h"
#include "bindings/python/src/option_values.h"

namespace webnn::inline v0_1::python {
namespace {

using python::convert, python::to_python;

void convert(py::handle value, Path& out, Where) { out = path_of(value); }
/// An iterable of names, or one str with commas between them.
void convert(py::handle value, std::vector<BackendChoice>& out, Where where) {
  const bool is_text = py::isinstance<py::str>(value);
  if (!is_text && !py::isinstance<py::iterable>(value))
    where.reject('(' + repr_of(value) + ") is not a list of str");
  const py::object names =
      is_text ? py::object(value.attr("split")(",")) : py::reinterpret_borrow<py::object>(value);
  out.clear();
  for (const py::handle name : py::iter(names)) {
    if (!py::isinstance<py::str>(name))
      where.reject("has an item (" + repr_of(name) + ") that is not a str");
    if (auto text = py::cast<std::string>(name); !text.empty()) out.emplace_back(std::move(text));
  }
}

py::object to_python(const Path& v) { return py::str(v); }
py::object to_python(const std::vector<BackendChoice>&) { return py::tuple(); }

/// An option that Python has in a form of its own.
struct CustomOption {
  std::string_view name, about;
  void (*set)(MLContextOptions& options, py::handle value);
};
constexpr CustomOption custom_options[] = {
    {"operators", "The objects of CustomOperator that files and custom() may name.",
     [](MLContextOptions& o, py::handle v) { o.operators = custom_operators_from(v); }},
    {"log",
     "A function that gets the messages of the library besides results and exceptions: log(level, "
     "message), where level is info, warning or error. None: the logger \"webnn\" of the module "
     "logging gets it.",
     [](MLContextOptions& o, py::handle v) { o.log = log_from(v); }},
    {"trace",
     "A function that gets a dict for each step that a thread has run, or for some of its tiles: "
     "kernel, operators, label, step, worker, tiles, tilesOfStep, start and duration in "
     "nanoseconds, and bytes. The call holds the GIL, so steps wait for it.",
     [](MLContextOptions& o, py::handle v) { o.trace = trace_from(v); }},
};
py::object default_of(const CustomOption& option) {
  return option.name == "operators" ? py::object(py::tuple()) : py::object(py::none());
}

/// f(row) for the other options that Python has.
template <class F> void for_each_option(F f) {
  for_each_context_option([&]<class Row>(const Row& row) {
    if constexpr (Row::of == OptionOf::all) f(row);
  });
}

/// The names of the options, and their values where none are given.
py::dict defaults() {
  const MLContextOptions options;
  py::dict all;
  for_each_option([&]<class Row>(const Row& row) {
    all[python::to_python(row.name)] = to_python(Row::get(options));
  });
  for (const CustomOption& o : custom_options) all[python::to_python(o.name)] = default_of(o);
  return all;
}

Holder<MLContext> new_context(const py::args& positional, const py::kwargs& given) {
  if (!positional.empty())
    throw TypeError("MLContext", "", "options have names, as in MLContext(threads=2)");
  MLContextOptions options;
  options.log = log_from(py::none());
  for_each_item(given, {"MLContext", "options"}, [&](std::string_view name, py::handle value) {
    bool known = false;
    for (const CustomOption& o : custom_options)
      if (o.name == name) o.set(options, value), known = true;
    for_each_option([&]<class Row>(const Row& row) {
      if (row.name != name) return;
      known = true;
      convert(value, Row::get(options), {"MLContext", name});
    });
    if (!known) {
      std::string names;
      for_each_option(
          [&](const auto& row) { names += (names.empty() ? "" : ", ") + std::string(row.name); });
      for (const CustomOption& o : custom_options) names += ", " + std::string(o.name);
      Where{"MLContext", name}.reject("is not one of its options: " + names);
    }
  });
  const py::object file = py::bytes(options.tuningFile);
  return with_os_errors("check_readable_if_named", file,
                        [&] { return Holder<MLContext>(new MLContext(std::move(options))); });
}

std::string documentation() {
  std::string arguments, text;
  for (const auto& [name, value] : defaults())
    arguments += ", " + py::cast<std::string>(name) + '=' + repr_of(value);
  for_each_option([&]<class Row>(const Row& row) {
    text += "\n  " + std::string(row.name) + ": " + std::string(row.about);
    if constexpr (NamedEnum<typename Row::Type>) {
      std::string names;
      for (const std::string_view name : enum_names<typename Row::Type>)
        names += (names.empty() ? "" : ", ") + std::string(name);
      text += " One of " + names + '.';
    }
  });
  for (const CustomOption& o : custom_options)
    text += "\n  " + std::string(o.name) + ": " + std::string(o.about);
  return "MLContext(*" + arguments +
         ")\n\nWhere graphs run: https://www.w3.org/TR/webnn/#mlcontext\n" + text;
}

}  // namespace

void define_context_options(Class<MLContext>& context) {
  context.def(py::init(&new_context), documentation().c_str());
  context.def_static("_defaults", &defaults);
}

}  // namespace webnn::inline v0_1::python
