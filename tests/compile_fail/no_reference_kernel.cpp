// expect: a section has no reference kernels
#include "operator_form.h"
#include "src/kernels/common/slot.h"
#include "webnn/backend.h"
namespace webnn::inline v0_1::ops {
struct MineSection {
  using Operators = OpList<mine>;
};
}  // namespace webnn::inline v0_1::ops
#ifdef FIXED
namespace webnn::inline v0_1::reference {
Candidate make(const ops::mine&, const Node&);
}  // namespace webnn::inline v0_1::reference
#endif
#include "src/kernels/reference/kernels.h"
namespace webnn::inline v0_1::reference {
using Both = ops::SectionList<ops::ReluSection, ops::MineSection>;
static_assert(complete(std::type_identity<Both>{}));
}  // namespace webnn::inline v0_1::reference
