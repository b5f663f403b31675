// expect: LoweredHere|no overload
#include "src/kernels/fast/backend.h"
namespace webnn::fast {
#ifdef FIXED
Lowering lower(const ops::matmul&);
#endif
template <class T>
concept LoweredHere = requires(const T& op) {
  lower(op);
};
static_assert(LoweredHere<ops::gemm> && LoweredHere<ops::matmul>, "no overload");
}  // namespace webnn::fast
