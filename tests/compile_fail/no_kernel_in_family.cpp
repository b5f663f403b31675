// expect: no matching function|invalid initialization
#include "src/kernels/reference/kernels.h"
namespace webnn::inline v0_1::reference {
Candidate make(const ops::argMin&, const Node&);
#ifdef FIXED
Candidate make(const ops::argMax&, const Node&);
#endif
Table<ops::ArgMinMaxSection> kernels(ops::ArgMinMaxSection) {
  return table(ops::ArgMinMaxSection{}, [](const auto& op, const Node& n) { return make(op, n); });
}
}  // namespace webnn::inline v0_1::reference
