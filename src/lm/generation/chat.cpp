#include "src/lm/generation/state.h"

namespace webnn::inline v0_1::lm {

struct Chat::State {
  Model model;
  Cache cache;
  ChatOptions options;
  std::vector<Message> messages;
  std::shared_ptr<Generation::State> answer{};  // the last one

  /// Makes the last answer a message.
  std::vector<Message> all() const {
    std::vector<Message> list = messages;
    if (answer) list.push_back({"assistant", answer->text});
    return list;
  }
};

Generation Chat::send(std::string content, const GenerateOptions& options) {
  std::vector<Message> messages = state_->all();
  messages.push_back({"user", std::move(content)});
  const Tokenizer& tokenizer = state_->model.tokenizer();
  const std::string prompt = apply_chat_template(tokenizer, messages, state_->options);
  Generation answer = state_->model.generate(
      state_->cache, tokenizer.encode(prompt, {.addSpecial = false}), options);
  state_->messages = std::move(messages);
  state_->answer = answer.state_;
  return answer;
}
Generation Chat::send(std::string content) {
  return send(std::move(content), state_->model.defaults());
}
std::vector<Message> Chat::messages() const { return state_->all(); }

Chat Model::chat(std::vector<Message> messages, ChatOptions options) const {
  if (tokenizer().chat_template().empty())
    raise({"the model has no template for conversations", ErrorName::InvalidStateError}, "chat",
          info().name);
  return Chat(std::make_shared<Chat::State>(
      Chat::State{*this, cache(), std::move(options), std::move(messages)}));
}

}  // namespace webnn::inline v0_1::lm
