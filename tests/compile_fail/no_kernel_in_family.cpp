// expect: no matching function
#include "src/kernels/reference/kernels.h"
namespace webnn::reference {
void run(const ops::argMin&, const Views&);
#ifdef FIXED
void run(const ops::argMax&, const Views&);
#endif
Table<ops::ArgMinMaxSection> kernels(ops::ArgMinMaxSection) {
  return table<ops::ArgMinMaxSection>([](const auto& op, const Views& v) { run(op, v); });
}
}  // namespace webnn::reference
