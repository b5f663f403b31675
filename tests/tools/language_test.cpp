// webnn generate, chat and bench of a language model.
#include "tests/lm/imported/onnx_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

namespace {

std::string model_file(const Folder& folder, std::uint32_t context = 256) {
  using namespace webnn;
  const lm::RandomModel m(
      {.width = 64, .heads = 2, .keyHeads = 1, .headSize = 32, .inner = 96, .context = context});
  gguf::Writer w = m.file();
  w.value("tokenizer.chat_template",
          std::string("{% for m in messages %}{{ m.role + ' ' + m.content + ' ' }}{% endfor %}"));
  const gguf::Bytes bytes = w.bytes();
  return folder.write("model.gguf", std::span<const std::byte>(bytes));
}

TEST_CASE("generate: text, the same with --json, and options") {
  const Folder folder;
  const std::string model = model_file(folder);
  const std::vector<std::string> words{"generate", model,          "w300",   "--max-tokens",
                                       "8",        "--ignore-end", "--quiet"};
  const Outcome o = webnn_command(words);
  REQUIRE(o.code == 0);
  CHECK(o.err.empty());
  CHECK(o.out.size() > 1);
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return webnn_command(more);
  };
  const Json j = with({"--json"}).json();
  CHECK(j["text"].get<std::string>() + '\n' == o.out);
  CHECK(j["tokens"] == 8);
  CHECK(j["finish_reason"] == "length");
  CHECK(j["tokens_per_second"].get<double>() > 0);
  const Outcome random = with({"--temperature", "3", "--seed", "4"});
  CHECK(random.out != o.out);
  CHECK(with({"--temperature", "3", "--seed", "4"}).out == random.out);
  CHECK(with({"--cache", "int4"}).code == 2);
  const auto long_text = [&](const char* cache) {  // rounding decides between some tokens
    return webnn_command({"generate", model, "w300", "--max-tokens", "90", "--ignore-end",
                          "--quiet", "--temperature", "3", "--seed", "4", "--cache", cache});
  };
  CHECK(long_text("int8").code == 0);
  CHECK(long_text("int8").out == long_text("int8").out);
  CHECK(long_text("int8").out != long_text("float32").out);
  CHECK(with({"--top-p", "3"}).code == 1);
  CHECK(webnn_command({"generate", folder.path("none.gguf"), "a"}).code == 1);
  CHECK(webnn_command({"generate", model}).code == 2);
}

TEST_CASE("generate: the lines of a file, several at once") {
  const Folder folder;
  const std::string model = model_file(folder);
  const std::string prompts = folder.write("prompts", std::string("w300\r\n\nw301 w302\nw303"));
  auto with = [&](std::vector<std::string> more) {
    const std::vector<std::string> words{"generate", model, "--max-tokens", "8", "--ignore-end"};
    more.insert(more.begin(), words.begin(), words.end());
    return webnn_command(more);
  };
  const Json j = with({"--prompts", prompts, "--sequences", "2", "--json"}).json();
  REQUIRE(j["texts"].size() == 3);
  std::string all;
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& t = j["texts"][i];
    const std::string prompt = t["prompt"].get<std::string>();
    CHECK(prompt == std::vector<std::string>{"w300", "w301 w302", "w303"}[i]);
    CHECK(t["text"] == with({prompt, "--json"}).json()["text"]);
    CHECK(t["tokens"] == 8);
    all += '[' + std::to_string(i + 1) + "] " + t["text"].get<std::string>() + '\n';
  }
  CHECK(j["tokens"] == 24);
  const Outcome o = with({"--prompts", prompts});
  CHECK(o.out == all);
  CHECK(contains(o.err, "3 prompts, 24 tokens"));
  CHECK(with({"--prompts", prompts, "w300"}).code == 2);
  CHECK(with({"--prompts", folder.path("none")}).code == 1);
  CHECK(with({"--prompts", prompts, "--sequences", "0"}).code == 2);
}

TEST_CASE("chat: each line of the standard input is a message") {
  const Folder folder;
  const std::string model = model_file(folder);
  const std::string input = folder.write("input", std::string("w300\n\nw301\n"));
  const Outcome o =
      run_program({"sh", "-c", "\"$1\" chat \"$2\" --max-tokens 4 --ignore-end <\"$3\"", "sh",
                   WEBNN_COMMAND, model, input});
  REQUIRE(o.code == 0);
  CHECK(contains(o.err, "prompt of"));
  const std::size_t second = o.err.find('\n') + 1;
  CHECK(!contains(o.err.substr(second), " 0 of them in the cache"));  // of the second message
}

TEST_CASE("generate and chat: Ctrl-C ends a text") {
  const Folder folder;
  constexpr std::uint32_t context = 1 << 20;
  const std::string model = model_file(folder, context), capacity = std::to_string(context);
  const auto interrupted = [&](const std::string& words) {
    return run_program({"sh", "-c",
                        "timeout --preserve-status -s INT 2 \"$1\" " + words +
                            " --max-tokens 0 --ignore-end --capacity \"$3\"",
                        "sh", WEBNN_COMMAND, model, capacity});
  };
  const Outcome text = interrupted("generate \"$2\" w300");
  CHECK(text.code == 130);
  CHECK(text.out.size() > 10);
  CHECK(text.out.ends_with('\n'));
  CHECK(contains(text.err, " tokens/s; prompt of "));
  const Outcome quiet = interrupted("generate \"$2\" w300 --json");
  CHECK(quiet.code == 130);
  CHECK(quiet.json()["finish_reason"] == "none");
  const std::string prompts = folder.write("prompts", std::string("w300\nw301\n"));
  const Outcome two = interrupted("generate \"$2\" --prompts '" + prompts + "'");
  CHECK(two.code == 130);
  CHECK(contains(two.out, "\n[2] "));
  const std::string input = folder.write("input", std::string("w300\n"));
  const Outcome answer = interrupted("chat \"$2\" < '" + input + "'");
  CHECK(answer.code == 0);  // the standard input has ended, too
  CHECK(contains(answer.err, " tokens/s; prompt of "));
}

TEST_CASE("generate, chat and bench: what cannot be run") {
  const Folder folder;
  const std::string model = model_file(folder), bytes = folder.read("model.gguf");
  folder.write("empty.gguf", std::string());
  folder.write("header.gguf", bytes.substr(0, 1000));
  folder.write("tensors.gguf", bytes.substr(0, bytes.size() - 1000));
  std::filesystem::create_directory(folder.path("folder"));
  for (const auto& [file, message] :
       {std::pair<const char*, const char*>{"none.gguf", "the file cannot be opened"},
        {"empty.gguf", "the file does not begin with GGUF"},
        {"header.gguf", "bytes that follow it"},
        {"tensors.gguf", " bytes of data"},
        {"folder", "neither config.json nor genai_config.json"}})
    for (const char* command : {"generate", "chat", "bench"}) {
      std::vector<std::string> words{command, folder.path(file)};
      if (words[0] == "generate") words.push_back("a");
      if (words[0] == "bench" && words[1].ends_with("folder")) continue;  // it may be any graph
      const Outcome o = webnn_command(words);
      INFO(command << ' ' << file << ": " << o.err);
      CHECK(o.code == 1);
      CHECK(o.out.empty());
      CHECK(o.err.starts_with("webnn: "));
      CHECK(contains(o.err, message));
      CHECK(o.err.find('\n') + 1 == o.err.size());
    }
  const auto refused = [&](std::vector<std::string> words, int code, const char* message) {
    words.insert(words.begin(), {"generate", model});
    const Outcome o = webnn_command(words);
    INFO(o.err);
    CHECK(o.code == code);
    CHECK(contains(o.err, message));
  };
  refused({std::string(3000, 'a')}, 1, "tokens, and the cache has room for 256");
  refused({"a", "--max-tokens", "-1"}, 2, "--max-tokens");
  refused({"a", "--stop", ""}, 1, "a stop text is empty");
  refused({"a", "--temperature", "nan"}, 1, "the temperature (nan)");
  refused({"a", "--capacity", "257"}, 1, "beyond the context of the model (256)");
  refused({"a", "--grammar", folder.write("g", std::string("root ::= ("))}, 1, "grammar: line 1");
  refused({"a", "--json-schema", folder.write("s", std::string("{\"type\": \"odd\"}"))}, 1,
          "\"odd\" is not a type of JSON");
  // Bytes that are no text are a prompt, too, and JSON has them as it can.
  const Outcome odd = webnn_command({"generate", model, "w300 \xff\xfe", "--max-tokens", "4"});
  CHECK(odd.code == 0);
  const std::string prompts = folder.write("prompts", std::string("\xff w300\n"));
  const Outcome j =
      webnn_command({"generate", model, "--prompts", prompts, "--max-tokens", "4", "--json"});
  CHECK(j.code == 0);
  CHECK(j.json()["texts"][0]["prompt"] == "\xef\xbf\xbd w300");
  CHECK(webnn_command({"generate", model, ""}).code == 0);  // the token that begins a text
}

TEST_CASE("bench: a language model") {
  const Folder folder;
  const std::string model = model_file(folder);
  const Outcome o = webnn_command({"bench", model, "--prompt", "16", "--generate", "4"});
  REQUIRE(o.code == 0);
  CHECK(contains(o.out, "prompt of 16 tokens"));
  CHECK(contains(o.out, "4 generated tokens"));
  const Json j = webnn_command({"bench", model, "--runs", "1", "--json"}).json();
  CHECK(j["prompt"]["tokens"] == 128);
  CHECK(j["generate"]["best"].get<double>() > 0);
  const Json several = webnn_command({"bench", model, "--prompt", "16", "--generate", "4", "--runs",
                                      "1", "--sequences", "3", "--json"})
                           .json();
  CHECK(several["sequences"]["count"] == 3);
  CHECK(several["sequences"]["best"].get<double>() > 0);
  CHECK(webnn_command({"bench", model, "--prompt", "200", "--generate", "100"}).code == 1);
}

TEST_CASE("generate, bench and info of a folder of ONNX Runtime GenAI") {
  using namespace webnn;
  const Folder folder;
  const lm::RandomModel m({.width = 64, .heads = 2, .keyHeads = 1, .headSize = 32, .inner = 96});
  const std::string model = folder.path("model");
  lm::write_folder(model, m, {});
  const Outcome o = webnn_command({"info", model});
  REQUIRE(o.code == 0);
  CHECK(contains(o.out, "architecture  llama"));
  CHECK(contains(o.out, "tensors of FLOAT"));
  const Json j = webnn_command({"info", model, "--json"}).json();
  CHECK(j["layers"] == 2);
  CHECK(j["vocabulary"] == 512);
  CHECK(j["weights"][0]["kept"] == "float32");
  const std::vector<std::string> words{"generate", model,          "w300",   "--max-tokens",
                                       "8",        "--ignore-end", "--quiet"};
  const Outcome text = webnn_command(words);
  CHECK(text.code == 0);
  CHECK(text.out.size() > 1);
  CHECK(webnn_command({"bench", model, "--prompt", "16", "--generate", "4"}).code == 0);
  CHECK(webnn_command({"info", folder.path("none")}).code == 2);
}

}  // namespace
