#include <algorithm>

#include "src/lm/generation/state.h"

namespace webnn::inline v0_1::lm {
namespace {

bool is_of_system(const Message& m) { return m.role == "system" || m.role == "developer"; }

}  // namespace

struct Chat::State {
  Model model;
  Cache cache;
  ChatOptions options;
  std::vector<Message> messages;
  std::shared_ptr<Generation::State> answer{};  // the last one
  std::size_t forgotten = 0;                    // messages, of those behind the system's

  /// Makes the last answer a message.
  std::vector<Message> all() const {
    std::vector<Message> list = messages;
    if (answer) list.push_back({"assistant", answer->text});
    return list;
  }

  std::vector<Token> prompt(const std::vector<Message>& list) const {
    const Tokenizer& tokenizer = model.tokenizer();
    return tokenizer.encode(apply_chat_template(tokenizer, list, options), {.addSpecial = false});
  }

  struct Turn {
    std::vector<Token> prompt{};
    std::size_t forgotten = 0;
  };
  /// The prompt of an answer to these messages. While it leaves no room for an answer, the oldest
  /// ones are left out, up to the next one of the user; then so many that half of the cache is
  /// free, so that the next answers find in it what they have in common with this one.
  Turn turn(const std::vector<Message>& list, const GenerateOptions& o) const {
    const auto first = std::ranges::find_if_not(list, is_of_system);
    const std::size_t capacity = model.info().capacity;
    const std::size_t answer_tokens =
        o.maxTokens == 0 ? capacity / 4 : std::min<std::size_t>(o.maxTokens, capacity / 4);
    std::vector<Message> kept(list.begin(), first);
    const auto system = static_cast<std::ptrdiff_t>(kept.size());
    kept.insert(kept.end(), first + static_cast<std::ptrdiff_t>(forgotten), list.end());
    Turn t{prompt(kept), forgotten};
    std::size_t most = capacity - answer_tokens;
    while (t.prompt.size() > most) {
      most = capacity / 2;
      const auto begin = kept.begin() + system;
      const auto next = std::find_if(std::min(begin + 1, kept.end()), kept.end(),
                                     [](const Message& m) { return m.role == "user"; });
      if (next == kept.end()) break;  // the last message alone
      t.forgotten += static_cast<std::size_t>(next - begin);
      kept.erase(begin, next);
      t.prompt = prompt(kept);
    }
    return t;
  }
};

Generation Chat::send(std::string content, const GenerateOptions& options) {
  std::vector<Message> messages = state_->all();
  messages.push_back({"user", std::move(content)});
  State::Turn turn = state_->turn(messages, options);
  Generation answer = state_->model.generate(state_->cache, std::move(turn.prompt), options);
  state_->messages = std::move(messages);
  state_->answer = answer.state_;
  state_->forgotten = turn.forgotten;
  return answer;
}
Generation Chat::send(std::string content) {
  return send(std::move(content), state_->model.defaults());
}
std::vector<Message> Chat::messages() const { return state_->all(); }
std::size_t Chat::forgotten() const { return state_->forgotten; }

Chat Model::chat(std::vector<Message> messages, ChatOptions options) const {
  if (tokenizer().chat_template().empty())
    raise({"the model has no template for conversations", ErrorName::InvalidStateError}, "chat",
          info().name);
  return Chat(std::make_shared<Chat::State>(
      Chat::State{*this, cache(), std::move(options), std::move(messages)}));
}

}  // namespace webnn::inline v0_1::lm
