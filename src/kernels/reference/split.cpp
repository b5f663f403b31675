#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::split& op, const Node& node) {
  Dims sizes;
  for (const MLOperand& y : node.outputs()) sizes.push_back(y.shape()[op.options.axis]);
  const Joined joined(op.input.shape(), op.input.dataType(), op.options.axis, sizes);
  const Partition c = partition_bytes(joined.bytes());
  return Candidate{.name = "copy rows",
                   .tiles = c.tiles(),
                   .run = [c, joined](Range r, const Buffers& b, std::byte*) {
                     joined.run(c.begin(r), c.end(r),
                                [&](std::size_t part, std::size_t y, std::size_t x, std::size_t n) {
                                  std::memcpy(b.outputs[part] + y, b.inputs[0] + x, n);
                                });
                   }};
}

}  // namespace webnn::inline v0_1::reference
