#include "src/kernels/reference/evaluate.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "src/graph/failure.h"
#include "src/kernels/common/aligned_bytes.h"
#include "src/kernels/common/custom.h"
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

Candidate kernel_of(const Node& node) {
  if (!is_custom(node.kind())) return reference::make_kernel(node);
  auto kernel = computed_custom(node);
  if (!kernel)
    raise({"it has no compute()", ErrorName::NotSupportedError}, node.name(), node.label());
  return *std::move(kernel);
}

/// Those of the library throw nothing.
void run(const Candidate& kernel, const Node& node, const Buffers& buffers, std::byte* scratch) {
  std::string reason = "it threw an exception that is not a std::exception";
  try {
    return kernel.run({0, kernel.tiles}, buffers, scratch);
  } catch (const std::bad_alloc&) { throw; } catch (const std::exception& e) {
    reason = e.what();
  } catch (...) {}
  raise({"compute failed: " + reason, ErrorName::OperationError}, node.name(), node.label());
}

}  // namespace

bool can_evaluate(const Node& node) {
  if (is_custom(node.kind())) return is_pure(node.kind(), node.op()) && computed_custom(node);
  return reference::has_kernel(node);
}

std::vector<Constant> evaluate(const Node& node) {
  const Candidate kernel = kernel_of(node);
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
  run(kernel, node, {inputs, outputs}, scratch.get());
  return results;
}

}  // namespace webnn::inline v0_1
