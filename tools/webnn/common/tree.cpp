#include "tools/webnn/common/tree.h"

#include "src/graph/text.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/terminal.h"
#include "tools/webnn/model/formats.h"
#include "webnn/quantize.h"
#include "webnn/version.h"

namespace webnn::inline v0_1::tool {
namespace {

/// CLI11 shows the choices of an option as "VALUE:{a,b}".
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> all;
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return all;
  const std::string_view list = std::string_view(type).substr(open + 1, close - open - 1);
  for (std::string_view choice : split(list)) all.emplace_back(choice);
  return all;
}

/// The names of what this build has, for options that take such names.
void add_values(OptionView& v) {
  v.values = v.choices;
  if (v.value == "FORMAT") {
    for (const Format& f : formats())
      if (v.name == "--to" ? f.write || f.save : f.read || f.load) v.values.emplace_back(f.name);
  } else if (v.name == "--backends" || v.name == "--other-backends") {
    v.values = MLContext({.threads = 1}).backends();
    v.is_list = true;
  } else if (v.name == "--operators") {
    for (const auto& name : quantizable_operators()) v.values.emplace_back(name);
    v.is_list = true;
  }
}

/// "--color": an option of every subcommand, because messages have colors, too.
void add_color(CLI::App& sub) {
  sub.add_option_function<std::string>(
         "--color",
         [](const std::string& when) {
           set_colors(when == "always"  ? Colors::always
                      : when == "never" ? Colors::never
                                        : Colors::automatic);
         },
         "Where colors are shown; auto: on a terminal, unless NO_COLOR is set")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN")
      ->default_str("auto");
}

}  // namespace

std::vector<std::pair<CLI::App*, Action>> make_tree(CLI::App& app) {
  app.name("webnn");
  app.description(
      "Looks into models, and runs, measures, compares, draws and converts them. webnn COMMAND "
      "--help lists the options of a command, with examples.");
  app.set_version_flag("--version", std::string("webnn ") + webnn::version(),
                       "Print the version and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  // Newer CLI11 would join the lines of the examples.
  [](auto& formatter) {
    if constexpr (requires { formatter.enable_footer_formatting(false); })
      formatter.enable_footer_formatting(false);
  }(*app.get_formatter());
  app.footer(
      "Exit codes: 0 all is well; 1 the model or the data is wrong, or cannot be read, written or "
      "run; 2 the command line is wrong; 3 the results differ (diff, verify, --golden); 130 "
      "Ctrl-C.");
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Command& c : commands) {
    CLI::App* sub = app.add_subcommand(c.name, c.about);
    Action action = c.add(*sub);
    add_color(*sub);
    actions.emplace_back(sub, std::move(action));
  }
  return actions;
}

std::vector<OptionView> options_of(const CLI::App& app) {
  std::vector<OptionView> all;
  for (const CLI::Option* o : app.get_options()) {
    OptionView v;
    if (!o->get_lnames().empty()) v.name = "--" + o->get_lnames().front();
    if (!o->get_snames().empty()) v.short_name = "-" + o->get_snames().front();
    const bool positional = v.name.empty() && v.short_name.empty();
    if (o->get_type_size() != 0) {
      const std::string type = o->get_type_name();
      v.value = positional ? o->get_name(true) : type.substr(0, type.find(':'));
      v.choices = choices_of(type);
      v.takes_file = type.find("FILE") != std::string::npos || type.find("DIR") == 0;
    }
    v.about = o->get_description();
    v.group = o->get_group();
    v.default_value = o->get_default_str();
    v.required = o->get_required();
    v.repeated = o->get_items_expected_max() > 1;
    add_values(v);
    all.push_back(std::move(v));
  }
  return all;
}

std::string examples_of(const CLI::App& app) { return app.get_footer(); }

}  // namespace webnn::inline v0_1::tool
