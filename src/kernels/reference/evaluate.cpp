#include "src/kernels/reference/evaluate.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "src/kernels/common/aligned_bytes.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1 {
namespace {

/// Zeroed bytes. Few of them, as shapes have, do not take a page each.
AlignedBytes memory_of(std::size_t size) {
  constexpr std::size_t line = 64, few = 1024;
  if (size > few) return aligned_bytes(size);
  const std::size_t whole = round_up(std::max<std::size_t>(size, 1), line);
  AlignedBytes p(static_cast<std::byte*>(std::aligned_alloc(line, whole)));
  if (!p) throw std::bad_alloc();
  std::memset(p.get(), 0, whole);
  return p;
}

}  // namespace

bool can_evaluate(const Node& node) { return reference::has_kernel(node); }

std::vector<Constant> evaluate(const Node& node) {
  const Candidate kernel = reference::make_kernel(node);
  std::vector<const std::byte*> inputs;
  for (const MLOperand& x : node.inputs()) inputs.push_back(x.constant()->bytes().data());
  std::vector<std::byte*> outputs;
  std::vector<Constant> results;
  for (const MLOperand& y : node.outputs()) {
    const std::size_t bytes = byte_length(y.descriptor());
    AlignedBytes memory = memory_of(bytes);
    outputs.push_back(memory.get());
    const std::shared_ptr<const std::byte> owner(memory.release(), FreeAligned());
    results.push_back(Constant::transferred(owner, std::span(owner.get(), bytes)));
  }
  const AlignedBytes scratch = memory_of(kernel.scratch);
  kernel.run({0, kernel.tiles}, {inputs, outputs}, scratch.get());
  return results;
}

}  // namespace webnn::inline v0_1
