#include "src/formats/text/scope.h"

#include "src/formats/text/weights.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {

void Scope::set(const Token& name, MLOperand x, bool again) {
  if (operands_.size() >= max_operands)
    source.refuse(name.offset, fail("there are more than {} names", max_operands));
  const auto [it, is_new] = operands_.emplace(name.text, x);
  if (!is_new && !again)
    source.refuse(name.offset, fail("{} is declared twice", in_quotes(name.text)));
  it->second = x;
  Other& other = by_normalized_[normalized(name.text)];
  other.ambiguous = other.ambiguous || (is_new && other.operand);
  other.operand = std::move(x);
}

const MLOperand* Scope::find(std::string_view name, std::size_t offset) const {
  if (const auto it = operands_.find(name); it != operands_.end()) return &it->second;
  const auto it = by_normalized_.find(normalized(name));
  if (it == by_normalized_.end()) return nullptr;
  if (it->second.ambiguous)
    source.refuse(offset, fail("several operands could be {}", in_quotes(name)));
  return &it->second.operand;
}

const MLOperand& Scope::operand(std::string_view name, std::size_t offset) const {
  if (const MLOperand* x = find(name, offset)) return *x;
  source.refuse(offset, fail("there is no operand {}", in_quotes(name)));
}

std::uint32_t Scope::dimension(const std::string& name, std::uint32_t maximum) {
  found.insert(name);
  const auto it = dimensions.emplace(name, options.unknown_dimension).first;
  if (it->second == 0 || it->second > maximum)
    raise(fail("dimension {} is {}, and the file allows 1 to {}", in_quotes(name), it->second,
               maximum),
          "text", source.label);
  return it->second;
}

}  // namespace webnn::inline v0_1::text
