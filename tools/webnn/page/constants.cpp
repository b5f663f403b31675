#include "tools/webnn/page/constants.h"

#include "tools/webnn/page/numbers.h"

namespace webnn::inline v0_1::tool {

std::optional<std::size_t> Constants::add(const MLOperand& x) {
  if (x.constant()->released()) return std::nullopt;
  const auto bytes = x.constant()->bytes();
  const auto [at, is_new] =
      places_.emplace(std::pair(bytes.data(), type_text(x.descriptor())), list_.size());
  if (is_new) list_.push_back(statistics_json(x.descriptor(), bytes));
  return at->second;
}

}  // namespace webnn::inline v0_1::tool
