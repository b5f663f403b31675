// What a chain reads.
#include <algorithm>
#include <unordered_set>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

std::vector<MLOperand> inputs_of(Chain chain) {
  constexpr std::size_t few = 16;
  std::unordered_set<const OperandRecord*> made;  // for long chains
  std::vector<MLOperand> all;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Chain before = chain.first(i);
    std::vector<MLOperand> inputs = chain[i].inputs();
    if (i == 0) {
      all = std::move(inputs);
      inputs.clear();
    }
    for (MLOperand& x : inputs) {
      const bool inside = chain.size() > few
                              ? made.contains(&x.record())
                              : std::any_of(before.begin(), before.end(),
                                            [&](const Node& n) { return x.is(n.output()); });
      if (!inside) all.push_back(std::move(x));
    }
    if (chain.size() > few) made.insert(&chain[i].output().record());
  }
  return all;
}

}  // namespace webnn::inline v0_1
