// webnn man: the manual page, made from the tree of options.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/common/tree.h"
#include "webnn/version.h"

namespace webnn::inline v0_1::tool {
namespace {

/// Escaped for roff: no command at the beginning of a line, hyphens that are not dashes.
std::string roff(const std::string& text) {
  std::string s;
  bool begins = true;
  for (char c : text) {
    if (begins && (c == '.' || c == '\'')) s += "\\&";
    if (c == '\\') s += "\\e";
    else if (c == '-') s += "\\-";
    else s += c;
    begins = c == '\n';
  }
  return s;
}

std::string option_text(const OptionView& o) {
  std::string head;
  if (!o.short_name.empty()) head += "\\fB" + roff(o.short_name) + "\\fR, ";
  head += o.name.empty() ? "" : "\\fB" + roff(o.name) + "\\fR ";
  if (!o.value.empty()) head += "\\fI" + roff(o.value) + "\\fR";
  std::string about = o.about;
  if (!o.choices.empty()) {
    about += ": ";
    for (const std::string& c : o.choices) about += (&c == &o.choices.front() ? "" : ", ") + c;
  }
  if (!o.default_value.empty() && o.default_value != "\"\"")
    about += " (default " + o.default_value + ")";
  return ".TP\n" + head + '\n' + roff(about) + ".\n";
}

std::string command_text(const CLI::App& app) {
  const std::vector<OptionView> options = options_of(app);
  std::string arguments;
  for (const OptionView& o : options)
    if (o.name.empty() && o.short_name.empty())
      arguments += o.required ? " " + o.value : " [" + o.value + "]";
  std::string s = fmt::format(".SS webnn {} [options]{}\n{}.\n", app.get_name(), roff(arguments),
                              roff(app.get_description()));
  for (const OptionView& o : options)
    if (o.name != "--help") s += option_text(o);
  const std::string footer = examples_of(app);
  return s + (footer.empty() ? "" : ".PP\n.nf\n" + roff(footer) + "\n.fi\n");
}

std::string page(const CLI::App& root) {
  std::string s = fmt::format(
      ".TH WEBNN 1 \"\" \"webnn {}\" \"User Commands\"\n.SH NAME\nwebnn \\- look into, run, "
      "measure, "
      "compare, draw and convert models of neural networks\n.SH SYNOPSIS\n\\fBwebnn\\fR "
      "\\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n.br\n\\fBwebnn\\fR \\fICOMMAND\\fR "
      "\\fB\\-\\-help\\fR\n.SH COMMANDS\n",
      version());
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; }))
    s += command_text(*sub);
  s += R"(.SH EXIT STATUS
.TP
0
All is well.
.TP
1
The model or the data is wrong, or cannot be read, written or run.
.TP
2
The command line is wrong.
.TP
3
The results differ: diff, verify, and run and bench with \-\-golden.
.TP
130
Interrupted: bench has printed what it had measured.
.SH ENVIRONMENT
.TP
WEBNN_BACKENDS
The order of backends where \-\-backends is not given.
.TP
WEBNN_NUM_THREADS
The threads where \-\-threads is not given.
.TP
WEBNN_TUNING
The file of webnn tune where \-\-tuning is not given.
.TP
WEBNN_PASSES
Which passes run: none runs no pass, and \- with names, with commas between them, leaves these out.
)";
  return s;
}

}  // namespace

Action add_man(CLI::App& app) {
  const auto output = std::make_shared<std::string>("-");
  app.add_option("-o,--output", *output, "The file to write; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  app.footer("Examples:\n  webnn man | man -l -");
  return [output, root = app.get_parent()]() -> int {
    write_file(*output, page(*root));
    return Exit::ok;
  };
}

}  // namespace webnn::inline v0_1::tool
