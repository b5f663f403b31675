// Options that several subcommands have.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "webnn/context.h"

namespace webnn::inline v0_1::tool {

/// What a subcommand does once its options are read; returns the exit code.
using Action = std::function<int()>;

struct ContextOptions {
  std::string backends{};
  std::string tuning{};  ///< a table of measurements
  int threads = 0;
  std::string accuracy{"float32"};

  void add_to(CLI::App& app);
  void add_without_tuning_to(CLI::App& app);
  /// The options but for the backends, without a table.
  MLContextOptions options() const;
  MLContext context(bool keep_constants = false) const;
};

/// The names of a list with commas between them. Throws Usage for an empty one.
std::vector<std::string> list_of(const std::string& text, std::string_view option);
/// A context of backends by name; an empty list is the default order.
MLContext context_of(const std::string& backends, int threads, bool keep_constants = false);
MLContext context_of(const std::string& backends, MLContextOptions options);

/// "--json": one JSON object on the standard output in place of text.
void add_json(CLI::App& app, bool& json);

struct ModelOptions {
  std::string path{};
  std::string from{};  ///< the name of a format; empty: by the extension
  std::vector<std::string> shapes{};
  std::vector<std::string> dimensions{};
  std::vector<std::string> values{};   ///< "sr=16000"
  std::vector<std::string> outputs{};  ///< lists of names
  std::string signature{};
  std::size_t subgraph = 0;

  /// The model is the first argument, named `name` in messages.
  void add_to(CLI::App& app, const std::string& name = "MODEL");
  std::map<std::string, Dims> shapes_by_name() const;
  std::map<std::string, std::uint32_t> dimensions_by_name() const;
  std::vector<std::string> outputs_by_name() const;
};

/// "a=b" in two; without a name before '=' the first is empty.
std::pair<std::string, std::string> name_and_value(const std::string& text);

}  // namespace webnn::inline v0_1::tool
