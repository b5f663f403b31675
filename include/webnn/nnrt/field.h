// Fields of NNRt's attribute structures, whose names and order are those of NodeAttrTypes.idl,
// interface v2_1: https://gitee.com/openharmony/drivers_interface/tree/master/nnrt/v2_1
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "webnn/nnrt/enums.h"

namespace webnn::inline v0_1::nnrt {

/// A field of an attribute structure: its name, and where it is.
template <class Struct, class Member> struct Field {
  std::string_view name;
  Member Struct::*member;
};
template <class Struct, class Member>
constexpr Field<Struct, Member> field(std::string_view name, Member Struct::*member) {
  return {name, member};
}

using List = std::vector<std::int64_t>;

}  // namespace webnn::inline v0_1::nnrt
