#include "tools/webnn/common/options.h"

#include <charconv>

#include "src/graph/text.h"
#include "src/runtime/context_options.h"
#include "tools/webnn/common/exit.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

Dims shape_of(const std::string& text, const std::string& whole) {
  Dims shape;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    std::uint32_t d = 0;
    const auto [after, error] = std::from_chars(at, end, d);
    if (error != std::errc() || d == 0 || d > 0x7fffffffu ||
        (after != end && (*after != 'x' || after + 1 == end)))
      throw Usage("--shape " + escaped(whole) +
                  ": a shape is dimensions from 1 to 2147483647 with x between them, as in "
                  "input=1x224x224x3");
    shape.push_back(d);
    at = after == end ? end : after + 1;
  }
  return shape;
}

}  // namespace

std::vector<std::string> list_of(const std::string& text, std::string_view option) {
  std::vector<std::string> all;
  for (std::string_view name : split(text)) {
    if (name.empty()) throw Usage(std::string(option) + ": a name in the list is empty");
    all.emplace_back(name);
  }
  return all;
}

MLContext context_of(const std::string& backends, int threads, bool keep_constants) {
  return context_of(backends, {.threads = threads, .keepConstants = keep_constants});
}
MLContext context_of(const std::string& backends, MLContextOptions options) {
  if (!backends.empty())
    for (std::string& name : list_of(backends, "--backends"))
      options.backends.emplace_back(std::move(name));
  try {
    return MLContext(std::move(options));
  } catch (const NotSupportedError& e) { throw Usage(e.what()); } catch (const TypeError& e) {
    throw Usage(e.what());
  }
}

namespace {

/// The flag of an option of a context; empty where subcommands decide by themselves.
template <auto M> constexpr std::string_view flag_of = "none is listed here";
template <> constexpr std::string_view flag_of<&MLContextOptions::powerPreference>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::accelerated>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::threads> = "--threads";
template <> constexpr std::string_view flag_of<&MLContextOptions::backends> = "--backends";
template <> constexpr std::string_view flag_of<&MLContextOptions::rules>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::runs>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::memoryLimit>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::keepConstants>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::tuning>{};
template <> constexpr std::string_view flag_of<&MLContextOptions::tuningFile> = "--tuning";
template <> constexpr std::string_view flag_of<&MLContextOptions::accuracyLevel> = "--accuracy";

/// Adds one option with the description that all interfaces have.
struct ContextFlags {
  CLI::App& app;
  ContextOptions& options;
  bool with_tuning;

  CLI::Option* add(std::string_view flag, auto& value, std::string_view about) const {
    about.remove_suffix(about.ends_with('.'));
    return app.add_option(std::string(flag), value, std::string(about));
  }
  void operator()(std::string_view flag, std::string_view about, const int&) const {
    add(flag, options.threads, about)->type_name("N")->check(CLI::Range(0, 1024));
  }
  void operator()(std::string_view flag, std::string_view about,
                  const std::vector<BackendChoice>&) const {
    add(flag, options.backends, std::string(about) + " Names have commas between them")
        ->type_name("NAMES");
  }
  void operator()(std::string_view flag, std::string_view about, const Path&) const {
    if (with_tuning) add(flag, options.tuning, about)->type_name("FILE");
  }
  void operator()(std::string_view flag, std::string_view about, const AccuracyLevel&) const {
    constexpr auto names = names_of(AccuracyLevel());
    add(flag, options.accuracy, about)
        ->type_name("LEVEL")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->capture_default_str();
  }
};

void add_context_flags(const ContextFlags& flags) {
  const MLContextOptions defaults;
  for_each_context_option([&]<auto M, OptionOf Of>(const ContextOption<M, Of>& row) {
    static_assert(Of != OptionOf::all || flag_of<M>.empty() || flag_of<M>.starts_with("--"),
                  "an option without a row in flag_of");
    if constexpr (Of == OptionOf::all && !flag_of<M>.empty())
      flags(flag_of<M>, row.about, row.get(defaults));
  });
}

}  // namespace

void ContextOptions::add_to(CLI::App& app) { add_context_flags({app, *this, true}); }
void ContextOptions::add_without_tuning_to(CLI::App& app) {
  add_context_flags({app, *this, false});
}
MLContextOptions ContextOptions::options() const {
  return {.threads = threads, .accuracyLevel = *enum_from<AccuracyLevel>(accuracy)};
}
MLContext ContextOptions::context(bool keep_constants) const {
  MLContextOptions o = options();
  o.keepConstants = keep_constants;
  o.tuningFile = tuning;
  return context_of(backends, std::move(o));
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Print one JSON object instead of text");
}

void ModelOptions::add_to(CLI::App& app, const std::string& name) {
  app.add_option(name, path, "The file of the model")->type_name("FILE")->required();
  app.add_option("--from", from, "The format of the file, if the extension does not say it")
      ->type_name("FORMAT");
  app.add_option("--shape", shapes,
                 "The shape of an input whose dimensions the file leaves open, as in "
                 "input=1x224x224x3")
      ->type_name("NAME=SHAPE")
      ->take_all();
  app.add_option("--dim", dimensions,
                 "The size of a dimension that has a name in the file, as in batch=1")
      ->type_name("NAME=SIZE")
      ->take_all();
  app.add_option("--value", values,
                 "The value that an input always has, as in sr=16000 or axes=0,2; shapes and "
                 "branches that follow from it become known")
      ->type_name("NAME=VALUE")
      ->take_all();
  app.add_option("--outputs", outputs,
                 "Names of values in the file that become the outputs, with commas between them, "
                 "in place of the outputs of the file")
      ->type_name("NAMES")
      ->take_all();
  app.add_option("--signature", signature, "The signature to use in a file with several signatures")
      ->type_name("KEY");
  app.add_option("--subgraph", subgraph, "The subgraph to use in a file with several subgraphs")
      ->type_name("N");
}

std::pair<std::string, std::string> name_and_value(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, Dims> ModelOptions::shapes_by_name() const {
  std::map<std::string, Dims> all;
  for (const std::string& text : shapes) {
    const auto [name, value] = name_and_value(text);
    if (name.empty() || value.empty())
      throw Usage("--shape " + escaped(text) + ": it is not of the form NAME=1x2x3");
    if (!all.emplace(name, shape_of(value, text)).second)
      throw Usage("--shape " + escaped(name) + ": it is given twice");
  }
  return all;
}

std::vector<std::string> ModelOptions::outputs_by_name() const {
  std::vector<std::string> all;
  for (const std::string& names : outputs)
    for (std::string& name : list_of(names, "--outputs")) all.push_back(std::move(name));
  return all;
}

std::map<std::string, std::uint32_t> ModelOptions::dimensions_by_name() const {
  std::map<std::string, std::uint32_t> all;
  for (const std::string& text : dimensions) {
    const auto [name, value] = name_and_value(text);
    std::uint32_t size = 0;
    const auto [after, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    if (name.empty() || error != std::errc() || after != value.data() + value.size() ||
        size > 0x7fffffffu)
      throw Usage("--dim " + escaped(text) +
                  ": it is not a name and a size from 0 to 2147483647, as in batch=1");
    if (!all.emplace(name, size).second)
      throw Usage("--dim " + escaped(name) + ": it is given twice");
  }
  return all;
}

}  // namespace webnn::inline v0_1::tool
