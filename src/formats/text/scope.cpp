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

void Scope::add_bounds(const Dimension& d, std::size_t offset) {
  const auto [known, is_new] =
      bounds_.try_emplace(*d.name, MLDynamicDimension{*d.name, d.min_size, d.size});
  MLDynamicDimension& bounds = known->second;
  bounds.minSize = std::max(bounds.minSize, d.min_size);
  bounds.maxSize = std::min(bounds.maxSize, d.size);
  if (bounds.minSize > bounds.maxSize)
    source.refuse(offset, fail("dimension {} has no size: {} at least and {} at most",
                               in_quotes(*d.name), bounds.minSize, bounds.maxSize));
}

MLDimension Scope::dimension(const std::string& name, std::uint32_t maximum) {
  found.insert(name);
  const auto bounds = bounds_.find(name);
  auto size = dimensions.find(name);
  if (size == dimensions.end()) {
    if (!options.unknown_dimension)
      return bounds != bounds_.end() ? bounds->second : MLDynamicDimension{name, 1, maximum};
    size = dimensions.emplace(name, *options.unknown_dimension).first;
  }
  const std::uint32_t least = bounds != bounds_.end() ? std::max(bounds->second.minSize, 1u) : 1;
  if (bounds != bounds_.end()) maximum = std::min(maximum, bounds->second.maxSize);
  if (size->second < least || size->second > maximum)
    raise(fail("dimension {} is {}, and the file allows {} to {}", in_quotes(name), size->second,
               least, maximum),
          "text", source.label);
  return size->second;
}

std::optional<MLOperand> Scope::size_of(const std::string& name) {
  for (const MLOperand& x : inputs_) {
    const auto all = x.dimensions();
    for (std::uint32_t i = 0; all && i < all->size(); ++i)
      if ((*all)[i].is_open() && (*all)[i].dynamic().name == name)
        return builder.slice(builder.shape(x), {i}, {1});
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::text
