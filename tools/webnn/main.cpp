// webnn: the command.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/common/tree.h"
#include "webnn/error.h"

namespace {

using namespace webnn::tool;

/// What went wrong, on the standard error and with --json also as an object.
int failed(std::string_view what, int code, bool json) {
  print_error(what);
  try {
    if (json) print_json(Json{{"error", what}, {"exit", code}});
  } catch (const CommandError&) {  // the exit code tells
  }
  return code;
}

int act(const Action& action, bool json) {
  try {
    const int code = action();
    flush_output();
    return code;
  } catch (const Usage& e) {
    return failed(e.what(), Exit::usage, json);
  } catch (const std::bad_alloc&) {
    return failed("out of memory", Exit::wrong, json);
  } catch (const std::exception& e) { return failed(e.what(), Exit::wrong, json); }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  std::vector<std::pair<CLI::App*, Action>> actions;
  try {
    actions = make_tree(app);
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    const int code = app.exit(e);  // --help, --version
    return act(
        [code] {
          std::cout.flush();  // into stdout
          return code;
        },
        false);
  } catch (const CLI::ParseError& e) {
    std::string where;
    for (const auto& [sub, action] : actions)
      if (sub->parsed()) where = sub->get_name();
    const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    return failed(where.empty()
                      ? fmt::format("{}; see webnn --help", e.what())
                      : fmt::format("{}: {}; see webnn {} --help", where, e.what(), where),
                  Exit::usage, json);
  }
  for (const auto& [sub, action] : actions) {
    if (!sub->parsed()) continue;
    const CLI::Option* json = sub->get_option_no_throw("--json");
    return act(action, json && json->count() > 0);
  }
  return Exit::usage;
}
