// webnn: the command.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <span>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/common/suggest.h"
#include "tools/webnn/common/terminal.h"
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

/// "; did you mean info?" for a subcommand or an option that does not exist.
std::string hint(const CLI::App& app, const CLI::App* sub, std::span<char* const> words) {
  std::vector<std::string> known;
  for (const CLI::App* s : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub) known.push_back(s->get_name());
  if (sub)
    for (const OptionView& o : options_of(*sub))
      if (!o.name.empty()) known.push_back(o.name);
  for (std::string_view word : words) {
    word = word.substr(0, word.find('='));
    if (sub && word.substr(0, 2) != "--") continue;
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string meant = suggestion(word, known);
    if (!meant.empty()) return fmt::format("; did you mean {}?", meant);
    if (!sub) break;  // the first word is the subcommand
  }
  return "";
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
  } catch (const CLI::CallForHelp&) {
    return act(
        [&app] {
          print(wrapped(app.help(), terminal_width()));
          return Exit::ok;
        },
        false);
  } catch (const CLI::Success& e) {
    const int code = app.exit(e);  // --version
    return act(
        [code] {
          std::cout.flush();  // into stdout
          return code;
        },
        false);
  } catch (const CLI::ParseError& e) {
    const CLI::App* where = nullptr;
    for (const auto& [sub, action] : actions)
      if (sub->parsed()) where = sub;
    const std::span<char* const> words(argv + 1, static_cast<std::size_t>(std::max(argc, 1)) - 1);
    const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    const std::string meant = hint(app, where, words);
    if (where)
      return failed(fmt::format("{}: {}{}; see webnn {} --help", where->get_name(), e.what(), meant,
                                where->get_name()),
                    Exit::usage, json);
    const bool unknown = !words.empty() && words[0][0] != '-' && words[0][0] != '\0';
    return failed(unknown ? fmt::format("{}: there is no such command{}; see webnn --help",
                                        webnn::escaped(words[0]), meant)
                          : fmt::format("{}; see webnn --help", e.what()),
                  Exit::usage, json);
  }
  for (const auto& [sub, action] : actions) {
    if (!sub->parsed()) continue;
    const CLI::Option* json = sub->get_option_no_throw("--json");
    return act(action, json && json->count() > 0);
  }
  return Exit::usage;
}
