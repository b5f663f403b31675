// The constants of a page's graphs, each with its statistics once.
#pragma once

#include <map>

#include "tools/webnn/common/output.h"

namespace webnn::inline v0_1::tool {

class Constants {
 public:
  /// Its place in the list; nothing where build() has released the bytes.
  std::optional<std::size_t> add(const MLOperand& constant);
  Json json() { return std::move(list_); }

 private:
  /// Passes keep the bytes of constants that they leave alone.
  std::map<std::pair<const std::byte*, std::string>, std::size_t> places_;
  Json list_ = Json::array();
};

}  // namespace webnn::inline v0_1::tool
