#include "src/graph/constant_facts.h"

#include "src/graph/access.h"

namespace webnn::inline v0_1 {

std::shared_ptr<ConstantFacts> Constant::new_facts() { return std::make_shared<ConstantFacts>(); }

const std::shared_ptr<ConstantFacts>& facts_of(const Constant& constant) {
  return detail::Access::facts_of(constant);
}

std::uint64_t fact_of(const Constant& constant, const std::string& name,
                      const std::function<std::uint64_t()>& work_out) {
  ConstantFacts& facts = *facts_of(constant);
  {
    const std::lock_guard lock(facts.mutex);
    if (const auto known = facts.numbers.find(name); known != facts.numbers.end())
      return known->second;
  }
  const std::uint64_t number = work_out();
  const std::lock_guard lock(facts.mutex);
  return facts.numbers.emplace(name, number).first->second;
}

}  // namespace webnn::inline v0_1
