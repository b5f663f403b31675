#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::concat& op, const Node& node) {
  const MLOperand& y = node.output();
  Dims sizes;
  for (const MLOperand& x : op.inputs) sizes.push_back(x.shape()[op.axis]);
  const Joined joined(y.shape(), y.dataType(), op.axis, sizes);
  const Partition c = partition_bytes(joined.bytes());
  return Candidate{.name = "copy rows",
                   .tiles = c.tiles(),
                   .skips_parts = true,
                   .run = [c, joined](Range r, const Buffers& b, std::byte*) {
                     joined.run(c.begin(r), c.end(r),
                                [&](std::size_t part, std::size_t x, std::size_t y, std::size_t n) {
                                  if (b.inputs[part] == b.outputs[0] + joined.starts[part]) return;
                                  std::memcpy(b.outputs[0] + y, b.inputs[part] + x, n);
                                });
                   }};
}

}  // namespace webnn::inline v0_1::reference
