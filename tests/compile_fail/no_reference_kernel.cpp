// expect: a section has no reference kernels
#include "operator_form.h"
#include "src/kernels/common/slot.h"
#include "webnn/backend.h"
namespace webnn::ops {
struct MineSection {
  using Operators = OpList<mine>;
};
}  // namespace webnn::ops
#ifdef FIXED
namespace webnn::reference {
Candidate make(const ops::mine&, const Node&);
}
#endif
#include "src/kernels/reference/kernels.h"
namespace webnn::reference {
using Both = ops::SectionList<ops::ReluSection, ops::MineSection>;
static_assert(complete(std::type_identity<Both>{}));
}  // namespace webnn::reference
