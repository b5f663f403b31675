// What the copies of a constant have in common, also when its bytes are released: which constant it
// is, and what is known of its values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

/// Of constant scales: a number for each so many that follow one another, of which these are small
/// multiples.
struct ScaleFactors {
  std::size_t each = 0;
  std::vector<float> values{};
};

/// Two constants are the same if they have the same object.
struct ConstantFacts {
  std::mutex mutex{};
  /// What the maker of the constant says, which is not known to be true. Null for nothing.
  std::shared_ptr<const ScaleFactors> factors{};
  std::map<std::string, std::uint64_t, std::less<>> numbers{};  ///< by name
};

/// The same for all copies of a constant.
const std::shared_ptr<ConstantFacts>& facts_of(const Constant& constant);

/// A number that follows from the values of a constant and decides how a kernel is made. `work_out`
/// is called when it is not known yet; compiled files have it in place of the values. The name says
/// what it is, with a revision and all that it depends on besides the values.
std::uint64_t fact_of(const Constant& constant, const std::string& name,
                      const std::function<std::uint64_t()>& work_out);

}  // namespace webnn::inline v0_1
