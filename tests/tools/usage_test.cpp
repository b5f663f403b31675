// What every subcommand has in common: help, exit codes, messages, completion, the manual page.
#include <algorithm>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

namespace {

const std::vector<std::string> on_models = {"info",    "run",  "bench", "convert",
                                            "explain", "diff", "graph", "verify"};

TEST_CASE("usage: help has examples, for every subcommand") {
  const Outcome top = webnn_command({"--help"});
  CHECK(top.code == 0);
  CHECK(contains(top.out, "Exit codes"));
  for (const std::string& name : on_models) {
    CHECK(contains(top.out, name));
    const Outcome o = webnn_command({name, "--help"});
    INFO(name);
    CHECK(o.code == 0);
    CHECK(contains(o.out, "Examples:\n  webnn " + name));
    CHECK(contains(o.out, "--json"));
  }
  CHECK(contains(webnn_command({"--version"}).out, "webnn "));
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}
/// Without spaces, ends of lines, and the backslashes before these.
std::string without_spaces(std::string text) {
  for (std::size_t at; (at = text.find(" \\\n")) != std::string::npos;) text.erase(at, 3);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST_CASE("usage: help fits the width of the terminal, and loses no word") {
  for (const std::string& name : on_models) {
    const std::string whole = webnn_command({name, "--help"}).out;
    CHECK(longest_line(whole) > 100);
    for (const int width : {40, 50, 80, 100, 200}) {
      INFO(name << ' ' << width);
      const Outcome o =
          run_program({"env", "COLUMNS=" + std::to_string(width), WEBNN_COMMAND, name, "--help"});
      CHECK(o.code == 0);
      CHECK(longest_line(o.out) <= static_cast<std::size_t>(width));
      CHECK(without_spaces(o.out) == without_spaces(whole));
    }
  }
  const Outcome o = run_on_terminal({WEBNN_COMMAND, "bench", "--help"});  // of 80 columns
  CHECK(longest_line(o.out) <= 81);                                       // with \r
}

TEST_CASE("usage: long examples of help continue after a backslash, so that they can be copied") {
  const Outcome o = run_program({"env", "COLUMNS=40", WEBNN_COMMAND, "bench", "--help"});
  CHECK(contains(o.out, "  webnn bench net.tflite --backends \\\n      xnnpack,reference"));
}

TEST_CASE("usage: colors on a terminal, unless NO_COLOR says otherwise") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const std::vector<std::string> words = {WEBNN_COMMAND, "diff", model};
  CHECK_FALSE(contains(run_program(words).out, "\x1b["));
  CHECK(contains(run_on_terminal(words).out, "\x1b[32mWithin tolerance.\x1b[0m"));
  for (const char* variable : {"NO_COLOR=1", "TERM=dumb"}) {
    INFO(variable);
    const Outcome o = run_on_terminal({"env", variable, WEBNN_COMMAND, "diff", model});
    CHECK(contains(o.out, "Within tolerance."));
    CHECK_FALSE(contains(o.out, "\x1b["));
  }
  // --color decides before the variable and before the terminal.
  const auto colored = [&](const std::string& when, bool terminal) {
    const std::vector<std::string> all = {
        "env",         "NO_COLOR=" + std::string(when == "always" ? "1" : ""),
        WEBNN_COMMAND, "diff",
        model,         "--color",
        when};
    const Outcome o = terminal ? run_on_terminal(all) : run_program(all);
    CHECK(o.code == 0);
    return contains(o.out, "\x1b[32m");
  };
  CHECK(colored("always", false));
  CHECK(colored("always", true));
  CHECK_FALSE(colored("never", true));
  CHECK(colored("auto", true));
  CHECK_FALSE(colored("auto", false));
  CHECK(webnn_command({"diff", model, "--color", "blue"}).code == 2);
  // Colors take no columns.
  const std::vector<std::string> bench = {WEBNN_COMMAND, "bench", model, "--runs", "1", "--quiet"};
  std::istringstream lines(run_on_terminal(bench).out);
  for (std::string line; std::getline(lines, line);)
    if (contains(line, "GFLOP/s") && contains(line, "of limit"))
      CHECK(contains(line, "\x1b[1mof limit\x1b[0m"));
  CHECK(contains(
      run_on_terminal({WEBNN_COMMAND, "graph", model, "--no-time", "-o", folder.path("p.html")})
          .out,
      "\x1b[1m"));
}

TEST_CASE("usage: output that cannot be written is an error") {
  const Folder folder;
  const std::string model = colors_model(folder);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"info", model},
                                             {"info", model, "--json"},
                                             {"run", model},
                                             {"run", model, "--json"},
                                             {"explain", model},
                                             {"bench", model, "--runs", "1"},
                                             {"--help"}}) {
    std::vector<std::string> all{WEBNN_COMMAND};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome o = run_without_space(all);
    INFO(words[0]);
    CHECK(o.code == 1);
    CHECK(contains(o.err, "the standard output cannot be written"));
  }
}

TEST_CASE("usage: a wrong command line is 2") {
  CHECK(webnn_command({}).code == 2);
  CHECK(webnn_command({"fly"}).code == 2);
  for (const std::string& name : on_models) {
    INFO(name);
    const Outcome none = webnn_command({name});
    CHECK(none.code == 2);
    CHECK(contains(none.err, "webnn: " + name + ": MODEL is required"));
    CHECK(none.out.empty());
    CHECK(webnn_command({name, "--no-such-option"}).code == 2);
  }
  const Outcome o = webnn_command({"info", "net.onnxx"});
  CHECK(o.code == 2);
  CHECK(contains(o.err, "its extension is not one that can be read: .tflite"));
  const Outcome from = webnn_command({"info", "net.bin", "--from", "clay"});
  CHECK(from.code == 2);
  CHECK(contains(from.err, "--from clay: it is not a format that can be read: tflite"));
  CHECK(webnn_command({"completion", "csh"}).code == 2);
  const Outcome json = webnn_command({"info", "--json"});
  CHECK(json.code == 2);
  CHECK(json.json()["exit"] == 2);
}

TEST_CASE("usage: a mistyped command or option is answered with the nearest one") {
  CHECK(contains(webnn_command({"infoo", "net.tflite"}).err,
                 "webnn: infoo: there is no such command; did you mean info?"));
  CHECK(contains(webnn_command({"bnech"}).err, "did you mean bench?"));
  const Outcome none = webnn_command({"fly"});
  CHECK(contains(none.err, "webnn: fly: there is no such command; see webnn --help"));
  const Outcome option = webnn_command({"info", "net.tflite", "--bakends", "simd"});
  CHECK(option.code == 2);
  CHECK(contains(option.err, "did you mean --backends?"));
  CHECK(contains(webnn_command({"run", "net.tflite", "--outputdir=x"}).err,
                 "did you mean --output-dir?"));
  CHECK_FALSE(contains(webnn_command({"run", "net.tflite", "--qqq"}).err, "did you mean"));
}

TEST_CASE("usage: a wrong model is 1, with a message, in JSON too") {
  const Folder folder;
  const std::string broken = folder.write("broken.tflite", std::string("TFL3 is not here"));
  for (const std::string& name : on_models) {
    INFO(name);
    std::vector<std::string> words = {name, folder.path("none.tflite")};
    if (name == "convert") words.push_back(folder.path("out.txt"));
    Outcome o = webnn_command(words);
    CHECK(o.code == 1);
    CHECK(contains(o.err, "there is no such file"));
    words[1] = broken;
    words.push_back("--json");
    if (name == "graph") words.insert(words.end(), {"-o", folder.path("out.dot")});
    o = webnn_command(words);
    CHECK(o.code == 1);
    CHECK(contains(o.err, "tflite [" + broken + "]"));
    CHECK(o.json()["exit"] == 1);
    CHECK(contains(o.json()["error"], broken));
  }
}

TEST_CASE("usage: backends, threads and shapes are checked") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"info", model});
    return webnn_command(more);
  };
  CHECK(contains(run({"--backends", "abacus"}).err, "abacus"));
  CHECK(run({"--backends", "abacus"}).code == 2);
  CHECK(run({"--backends", "reference,,simd"}).code == 2);
  CHECK(run({"--threads", "-1"}).code == 2);
  CHECK(run({"--threads", "many"}).code == 2);
  for (const char* shape : {"pixels", "pixels=", "=1x2", "pixels=1x", "pixels=x", "pixels=0x3",
                            "pixels=1x99999999999", "pixels=1*2"}) {
    INFO(shape);
    const Outcome o = run({"--shape", shape});
    CHECK(o.code == 2);
    CHECK(contains(o.err, "--shape"));
  }
  CHECK(run({"--shape", "nobody=1x2"}).code == 1);
  CHECK(run({"--shape", "pixels=1x4x4x3"}).code == 0);
}

TEST_CASE("usage: the standard input, names in messages, and numbers of things") {
  const Folder folder;
  for (const std::string& name : on_models) {
    std::vector<std::string> words = {name, "-"};
    if (name == "convert") words.push_back(folder.path("out.txt"));
    const Outcome o = webnn_command(words);
    CHECK(o.code == 2);
    CHECK(contains(o.err, "webnn: -: a model is not read from the standard input"));
  }
  const std::string model = colors_model(folder);
  CHECK(contains(webnn_command({"convert", model, "-"}).err,
                 "webnn: -: --to says the format of the standard output: "));
  CHECK(contains(webnn_command({"run", two_inputs_model(folder), "--input", "a=nofile.jpg"}).err,
                 "webnn: input \"a\": nofile.jpg: there is no such file"));
  CHECK(contains(webnn_command({"run", two_inputs_model(folder), "--input", "nofile.jpg"}).err,
                 "the model has \"a\", \"b\""));
  CHECK(contains(webnn_command({"bench", model, "--runs", "1", "--threads", "1"}).out,
                 "  1 thread, 1 run\n"));
  const std::string one = doubling_model(folder, "one.tflite", {2, 3});
  CHECK(contains(webnn_command({"explain", one, "--no-time", "--threads", "1"}).out,
                 "graph   1 operator -> 1 step   1 thread   build "));
  CHECK(contains(webnn_command({"info", one}).out, " in 1 constant, 4 B\n"));
  CHECK(
      contains(webnn_command({"convert", one, folder.path("one.txt")}).out, "text, 1 operator, "));
  CHECK(
      contains(webnn_command({"graph", one, "-o", folder.path("one.dot")}).out, ": 1 operator, "));
  CHECK(contains(webnn_command({"diff", one, two_inputs_model(folder)}).err,
                 "the models have 1 and 2 inputs"));
}

TEST_CASE("usage: completion scripts name every subcommand and option") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome o = webnn_command({"completion", shell});
    INFO(shell);
    CHECK(o.code == 0);
    for (const std::string& name : on_models) CHECK(contains(o.out, name));
    for (const char* option : {"top-k", "backends", "labels"}) CHECK(contains(o.out, option));
    CHECK(contains(o.out, "stretch"));
    if (shell == std::string("bash")) {
      const Folder folder;
      const std::string script = folder.write("c", o.out);
      const Outcome bash = run_program(
          {"bash", "-c",
           "source " + script +
               "; COMP_WORDS=(webnn run --re); COMP_CWORD=2; _webnn; echo "
               "\"${COMPREPLY[@]}\"; COMP_WORDS=(webnn run --resize p); COMP_CWORD=3; _webnn; echo "
               "\"${COMPREPLY[@]}\"; COMP_WORDS=(webnn be); COMP_CWORD=1; _webnn; echo "
               "\"${COMPREPLY[@]}\"; COMP_WORDS=(webnn convert --to t); COMP_CWORD=3; _webnn; echo "
               "\"${COMPREPLY[@]}\"; COMP_WORDS=(webnn run --backends simd,ref); COMP_CWORD=3; "
               "_webnn; echo \"${COMPREPLY[@]}\""});
      CHECK(bash.code == 0);
      CHECK(contains(bash.out, "--resize\npad\nbench\n"));
      CHECK(contains(bash.out, "text"));
      CHECK_FALSE(contains(bash.out, "graphviz"));
      CHECK(contains(bash.out, "\nsimd,reference\n"));
    }
  }
}

/// What the completion of bash offers for the last of the words, on a line; "files" if it leaves
/// that to the shell.
std::string bash_offers(const Folder& folder, const std::string& words) {
  folder.write("c", webnn_command({"completion", "bash"}).out);
  return run_program(
             {"bash", "-c",
              "cd " + folder.path("") +
                  "; compopt() { [[ \"$*\" != *default* ]] || echo files; }; source ./c; "
                  "COMP_WORDS=(" +
                  words +
                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _webnn; echo \"${COMPREPLY[*]}\""})
      .out;
}

TEST_CASE("usage: completion in bash after an equals sign, of lists, and of files with spaces") {
  const Folder folder;
  folder.write("a b.onnx", std::string("x"));
  CHECK(bash_offers(folder, "webnn run --resize = p") == "pad\n");
  CHECK(bash_offers(folder, "webnn run --color =") == "auto always never\n");
  CHECK(bash_offers(folder, "webnn run --backends = reference,ref") ==
        "\n");  // it is there already
  CHECK(bash_offers(folder, "webnn run --accuracy b") == "bfloat16\n");
  CHECK(bash_offers(folder, "webnn info a") == "files\n\n");
  CHECK(bash_offers(folder, "webnn run --image a") == "files\n\n");
  CHECK(bash_offers(folder, "webnn run --seed ''") == "\n");
}

TEST_CASE("usage: completion in zsh takes values after an equals sign") {
  const std::string script = webnn_command({"completion", "zsh"}).out;
  CHECK(contains(script, "--accuracy=["));
  CHECK(contains(script, "--color=["));
  CHECK(contains(script, "'--json["));
  if (run_program({"sh", "-c", "command -v zsh"}).code != 0) return;
  const Folder folder;
  CHECK(run_program({"zsh", "-n", folder.write("c", script)}).code == 0);
}

TEST_CASE("usage: completion in fish offers options and values") {
  if (run_program({"sh", "-c", "command -v fish"}).code != 0) return;
  const Folder folder;
  const std::string script = folder.write("c", webnn_command({"completion", "fish"}).out);
  const auto offers = [&](const std::string& line) {
    return run_program({"fish", "-c", "source " + script + "; complete -C '" + line + "'"}).out;
  };
  CHECK(contains(offers("webnn be"), "bench\t"));
  CHECK(contains(offers("webnn bench --acc"), "--accuracy\t"));
  CHECK(contains(offers("webnn bench --accuracy=b"), "bfloat16\t"));
  CHECK(contains(offers("webnn run --backends simd,ref"), "simd,reference\t"));
}

TEST_CASE("usage: the manual page has every subcommand") {
  const Outcome o = webnn_command({"man"});
  CHECK(o.code == 0);
  CHECK(o.out.substr(0, 4) == ".TH ");
  for (const std::string& name : on_models) CHECK(contains(o.out, ".SS webnn " + name));
  CHECK(contains(o.out, "EXIT STATUS"));
}

}  // namespace
