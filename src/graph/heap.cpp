#include "src/graph/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace webnn::inline v0_1 {

void trim_heap([[maybe_unused]] std::size_t freed) {
#ifdef __GLIBC__
  constexpr std::size_t much = 1 << 20;
  if (freed >= much) malloc_trim(0);
#endif
}

}  // namespace webnn::inline v0_1
