#include "webnn/lm/chat_template.h"

#include <charconv>
#include <ctime>

#include "src/formats/common/json.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/template/interpreter.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

namespace json = formats;

constexpr std::size_t max_template = 1 << 20, max_json_depth = 32;

jinja::Value from_json(const json::Value& v) {
  using Kind = json::Value::Kind;
  switch (v.kind) {
    case Kind::null: return jinja::None{};
    case Kind::boolean: return v.text == "true";
    case Kind::string:
    case Kind::name: return jinja::Value(v.text);
    case Kind::number: {
      std::int64_t whole = 0;
      double number = 0;
      const auto end = v.text.data() + v.text.size();
      if (const auto r = std::from_chars(v.text.data(), end, whole);
          r.ptr == end && r.ec == std::errc())
        return whole;
      std::from_chars(v.text.data(), end, number);
      return number;
    }
    case Kind::list: {
      auto data = std::make_shared<jinja::ListData>();
      for (const json::Value& item : v.items) data->items.push_back(from_json(item));
      measure(*data);
      return jinja::List(std::move(data));
    }
    case Kind::object: break;
  }
  auto data = std::make_shared<jinja::DictData>();
  for (std::size_t i = 0; i + 1 < v.items.size(); i += 2)
    data->items.emplace_back(v.items[i].text, from_json(v.items[i + 1]));
  measure(*data);
  return jinja::Dict(std::move(data));
}

jinja::Value parsed_json(const std::string& text, std::string_view what, json::Value::Kind kind,
                         std::string_view label) {
  const auto refuse = [&](const std::string& why) {
    raise({std::string(what) + ": " + why, ErrorName::TypeError}, "chat_template", label);
  };
  auto value = json::read_json(text, {.max_depth = max_json_depth});
  if (!value) refuse(value.failure().message);
  if (value->kind != kind)
    refuse(kind == json::Value::Kind::list ? "the text is not a JSON list"
                                           : "the text is not a JSON object");
  return from_json(*value);
}

jinja::Value message_value(const Message& m, std::size_t i, std::string_view label) {
  jinja::DictData data;
  data.items.emplace_back("role", jinja::Value(valid_utf8(m.role)));
  const std::string what = "message " + std::to_string(i);
  const bool is_list = m.more.find_first_not_of(" \t\r\n") != m.more.npos &&
                       m.more[m.more.find_first_not_of(" \t\r\n")] == '[';
  if (is_list) {
    data.items.emplace_back("content", parsed_json(m.more, what, json::Value::Kind::list, label));
  } else {
    data.items.emplace_back("content", jinja::Value(valid_utf8(m.content)));
    if (!m.more.empty()) {
      const jinja::Value more = parsed_json(m.more, what, json::Value::Kind::object, label);
      for (const auto& [key, value] : (*more.as<jinja::Dict>())->items) {
        if (key != "role" && key != "content") data.items.emplace_back(key, value);
        else
          for (auto& [name, old] : data.items)
            if (name == key) old = value;
      }
    }
  }
  measure(data);
  return jinja::Dict(std::make_shared<const jinja::DictData>(std::move(data)));
}

}  // namespace

struct ChatTemplate::Contents {
  std::string label;
  jinja::Body body;
};

ChatTemplate::ChatTemplate(std::string_view text, std::string_view label) {
  if (text.size() > max_template)
    raise({"the template has " + std::to_string(text.size()) + " bytes, more than " +
               std::to_string(max_template),
           ErrorName::DataError},
          "chat_template", label);
  contents_ = std::make_shared<const Contents>(
      Contents{std::string(label), jinja::parsed(valid_utf8(text), label)});
}

std::string ChatTemplate::apply(const std::vector<Message>& messages,
                                const ChatOptions& options) const {
  const std::string& label = contents_->label;
  auto list = std::make_shared<jinja::ListData>();
  for (std::size_t i = 0; i < messages.size(); ++i)
    list->items.push_back(message_value(messages[i], i, label));
  measure(*list);
  const std::int64_t time =
      options.time ? *options.time : static_cast<std::int64_t>(std::time(nullptr));
  auto globals = jinja::global_functions(time);
  globals.emplace_back("messages", jinja::List(std::move(list)));
  globals.emplace_back("add_generation_prompt", options.addGenerationPrompt);
  globals.emplace_back("bos_token", jinja::Value(valid_utf8(options.bosToken)));
  globals.emplace_back("eos_token", jinja::Value(valid_utf8(options.eosToken)));
  globals.emplace_back("tools", options.tools.empty()
                                    ? jinja::Value(jinja::None{})
                                    : parsed_json(options.tools, "the option tools",
                                                  json::Value::Kind::list, label));
  if (!options.variables.empty()) {
    const jinja::Value more =
        parsed_json(options.variables, "the option variables", json::Value::Kind::object, label);
    for (const auto& [key, value] : (*more.as<jinja::Dict>())->items)
      globals.emplace_back(key, value);
  }
  jinja::Interpreter interpreter({options.maxSteps, options.maxBytes}, label);
  return interpreter.run(contents_->body, std::move(globals));
}

std::string apply_chat_template(const Tokenizer& tokenizer, const std::vector<Message>& messages,
                                ChatOptions options) {
  if (tokenizer.chat_template().empty())
    raise({"the model has no template for messages", ErrorName::InvalidStateError},
          "chat_template");
  const auto text = [&](std::optional<Token> token) {
    return token ? std::string(tokenizer.text_of(*token)) : std::string();
  };
  if (options.bosToken.empty()) options.bosToken = text(tokenizer.bos());
  if (options.eosToken.empty()) options.eosToken = text(tokenizer.eos());
  return ChatTemplate(tokenizer.chat_template()).apply(messages, options);
}

}  // namespace webnn::inline v0_1::lm
