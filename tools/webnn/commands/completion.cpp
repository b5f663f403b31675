// webnn completion: a script for bash, zsh or fish, made from the tree of options.
#include <fmt/format.h>

#include "src/graph/text.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/common/tree.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  std::string shell, output = "-";
};

struct Part {
  std::string name, about;
  std::vector<OptionView> options;
};

std::vector<Part> parts_of(const CLI::App& root) {
  std::vector<Part> all;
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back({sub->get_name(), sub->get_description(), options_of(*sub)});
  return all;
}

/// Within single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string s = "'";
  for (char c : text) s += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return s + '\'';
}
std::vector<std::string> flags(const Part& part) {
  std::vector<std::string> all;
  for (const OptionView& o : part.options) {
    if (!o.short_name.empty()) all.push_back(o.short_name);
    if (!o.name.empty()) all.push_back(o.name);
  }
  return all;
}
/// The values of an argument, where there is a list of them.
std::vector<std::string> argument_choices(const Part& part) {
  for (const OptionView& o : part.options)
    if (o.name.empty() && !o.choices.empty()) return o.choices;
  return {};
}

std::string bash(const std::vector<Part>& parts) {
  std::string names, cases;
  for (const Part& p : parts) {
    names += (names.empty() ? "" : " ") + p.name;
    std::string values;
    for (const OptionView& o : p.options) {
      if (o.name.empty() || o.value.empty()) continue;
      const std::string flag = o.short_name.empty() ? o.name : o.short_name + '|' + o.name;
      if (!o.values.empty())
        values += fmt::format("        {}) {} \"{}\"; return ;;\n", flag,
                              o.is_list ? "_webnn_list" : "_webnn_values", joined(o.values, " "));
      else
        values +=
            fmt::format("        {}) {}return ;;\n", flag, o.takes_file ? "_webnn_files; " : "");
    }
    cases += fmt::format(
        "    {})\n      case $before in\n{}      esac\n      words=\"{}\"\n"
        "      choices=\"{}\"\n      ;;\n",
        p.name, values, joined(flags(p), " "), joined(argument_choices(p), " "));
  }
  return fmt::format(R"(# bash completion of webnn; made by: webnn completion bash
_webnn_values() {{
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}}
_webnn_list() {{
  local before=${{word%"${{word##*,}}"}} value left=""
  for value in $1; do [[ ,$before == *,$value,* ]] || left+=" $value"; done
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W "$left" -- "${{word##*,}}"))
}}
_webnn_files() {{
  compopt -o bashdefault -o default 2>/dev/null
}}
_webnn() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words="" choices=""
  COMPREPLY=()
  # --option=value is three words.
  if [ "$word" = = ]; then word=""
  elif [ "$before" = = ]; then before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}    *) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  elif [ -n "$choices" ]; then
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
  else
    _webnn_files
  fi
}}
complete -F _webnn webnn
)",
                     names, cases);
}

/// In a description of zsh's _arguments, brackets and colons end it.
std::string zsh_text(const std::string& text) {
  std::string s;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') s += '\\';
    s += c;
  }
  return s;
}

std::string zsh(const std::vector<Part>& parts) {
  std::string names, cases;
  for (const Part& p : parts) {
    names += "    " + shell_quoted(p.name + ':' + zsh_text(p.about)) + '\n';
    cases += fmt::format("    {})\n      _arguments -s \\\n", p.name);
    for (const OptionView& o : p.options) {
      const std::string names = joined(o.values, " ");
      const std::string action = o.is_list           ? "_values -s , " + o.value + ' ' + names
                                 : !o.values.empty() ? '(' + names + ')'
                                 : o.takes_file      ? "_files"
                                                     : " ";
      if (o.name.empty() && o.short_name.empty()) {
        cases += "        " +
                 shell_quoted((o.required ? ":" : "::") + zsh_text(o.value) + ':' + action) +
                 " \\\n";
        continue;
      }
      for (const std::string& flag : {o.short_name, o.name}) {
        if (flag.empty()) continue;
        // The value follows in the same word, as in --option=value and -ovalue, or in the next one.
        const std::string joint = o.value.empty() ? "" : flag == o.name ? "=" : "+";
        std::string spec = (o.repeated ? "*" : "") + flag + joint + '[' + zsh_text(o.about) + ']';
        if (!o.value.empty()) spec += ':' + zsh_text(o.value) + ':' + action;
        cases += "        " + shell_quoted(spec) + " \\\n";
      }
    }
    cases += "        && return\n      ;;\n";
  }
  return fmt::format(R"(#compdef webnn
# zsh completion of webnn; made by: webnn completion zsh
_webnn() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _webnn ]; then
  _webnn "$@"
else
  compdef _webnn webnn
fi
)",
                     names, cases);
}

std::string fish(const std::vector<Part>& parts) {
  std::string s = "# fish completion of webnn; made by: webnn completion fish\n";
  for (const Part& p : parts)
    s += fmt::format("complete -c webnn -f -n __fish_use_subcommand -a {} -d {}\n", p.name,
                     shell_quoted(p.about));
  for (const Part& p : parts) {
    const std::string when = shell_quoted("__fish_seen_subcommand_from " + p.name);
    bool files = false;
    for (const OptionView& o : p.options) {
      if (o.name.empty() && o.short_name.empty()) {
        files = files || o.takes_file;
        if (!o.choices.empty())
          s += fmt::format("complete -c webnn -f -n {} -a {}\n", when,
                           shell_quoted(joined(o.choices, " ")));
        continue;
      }
      s += "complete -c webnn -n " + when;
      if (!o.short_name.empty()) s += " -s " + o.short_name.substr(1);
      if (!o.name.empty()) s += " -l " + o.name.substr(2);
      const std::string names = joined(o.values, " ");
      if (o.is_list) s += " -x -a " + shell_quoted("(__fish_append , " + names + ')');
      else if (!names.empty()) s += " -x -a " + shell_quoted(names);
      else if (o.takes_file) s += " -r -F";
      else if (!o.value.empty()) s += " -x";
      s += " -d " + shell_quoted(o.about) + '\n';
    }
    if (files) s += fmt::format("complete -c webnn -n {} -F\n", when);
  }
  return s;
}

}  // namespace

Action add_completion(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("SHELL", o->shell, "The shell")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  app.add_option("-o,--output", o->output, "The file to write; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  app.footer(
      "Examples:\n  webnn completion bash -o ~/.local/share/bash-completion/completions/webnn\n  "
      "webnn completion zsh -o \"${fpath[1]}/_webnn\"\n  webnn completion fish "
      "-o ~/.config/fish/completions/webnn.fish");
  return [o, root = app.get_parent()]() -> int {
    const std::vector<Part> parts = parts_of(*root);
    write_file(o->output, o->shell == "bash"  ? bash(parts)
                          : o->shell == "zsh" ? zsh(parts)
                                              : fish(parts));
    return Exit::ok;
  };
}

}  // namespace webnn::inline v0_1::tool
