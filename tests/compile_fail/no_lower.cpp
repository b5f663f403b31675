// expect: no matching function|invalid initialization
#include "src/kernels/common/lower_table.h"
namespace webnn::inline v0_1 {
using Lowers = ops::OpList<ops::gemm, ops::matmul>;
Lowering lower(const ops::gemm&, Chain);
#ifdef FIXED
Lowering lower(const ops::matmul&, Chain);
#endif
constexpr auto table =
    lower_table<Lowers>([](const auto& op, Chain chain) { return lower(op, chain); });
const auto* use = &table;
}  // namespace webnn::inline v0_1
