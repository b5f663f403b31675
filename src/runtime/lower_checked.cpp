// What backends and custom operators have for a chain: what would make the executor go wrong is a
// refusal.
#include "src/graph/failure.h"
#include "src/kernels/backends.h"
#include "src/kernels/common/custom.h"
#include "src/runtime/chains.h"
#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {
namespace {

/// What would make the executor go wrong: a backend may be the caller's own.
shape::Check defect(const WeightBlock& block, const std::vector<MLOperand>& inputs) {
  constexpr int max_parts = 1 << 24;
  constexpr std::size_t max_bytes = std::size_t{1} << 40;
  if (block.bytes > max_bytes)
    return fail("the weights ({}) of its kernel are greater than {}", block.bytes, max_bytes);
  if (block.parts < 1 || block.parts > max_parts)
    return fail("the parts ({}) of its weights are not between 1 and {}", block.parts, max_parts);
  if (!block.layout.empty() && !block.fill) return fail("its weights have no fill");
  for (const std::vector<int>* list : {&block.inputs, &block.kept})
    for (const int i : *list) {
      const auto count = static_cast<int>(inputs.size());
      if (i < 0 || i >= count) return fail("its kernel packs input {} of {}", i, count);
      if (!inputs[static_cast<std::size_t>(i)].constant())
        return fail("its kernel packs input {}, which is not constant", i);
    }
  return {};
}
shape::Check defect(const Candidate& k, Chain chain) {
  constexpr int max_tiles = 1 << 30;
  constexpr std::size_t max_scratch = std::size_t{1} << 40;
  if (!k.run) return fail("its kernel has no run");
  if (k.tiles < 1 || k.tiles > max_tiles)
    return fail("the tiles ({}) of its kernel are not between 1 and {}", k.tiles, max_tiles);
  if (k.rounds < 1) return fail("the rounds ({}) of its kernel are less than 1", k.rounds);
  if (k.scratch > max_scratch)
    return fail("the scratch ({}) of its kernel is greater than {}", k.scratch, max_scratch);
  if (k.shared > max_scratch)
    return fail("the shared memory ({}) of its kernel is greater than {}", k.shared, max_scratch);
  if (k.in_place.empty() && k.weights.empty()) return {};
  const std::vector<MLOperand> inputs = inputs_of(chain);
  const auto count = static_cast<int>(inputs.size());
  for (int i : k.in_place)
    if (i < 0 || i >= count) return fail("its kernel takes over input {} of {}", i, count);
  for (const WeightBlock& block : k.weights)
    if (auto bad = defect(block, inputs)) return bad;
  return {};
}

/// What lower() makes, unless it has a defect or throws.
template <class F> Lowering checked(F lower, Chain chain) {
  try {
    Lowering lowering = lower();
    if (const auto* kernel = std::get_if<Candidate>(&lowering))
      if (const auto bad = defect(*kernel, chain)) return Refusal{bad->message};
    return lowering;
  } catch (const std::bad_alloc&) { throw; } catch (const std::exception& e) {
    return Refusal{e.what()};
  } catch (...) { return Refusal{"its lower() threw an exception that is not a std::exception"}; }
}

}  // namespace

Lowering lower_checked(const Backend& backend, Chain chain) {
  const bool of_library = dynamic_cast<const LibraryBackend*>(&backend) != nullptr;
  for (const Node& node : chain) {
    if (is_fused(node.kind()) && !of_library)
      return Refusal{"it does not know " + std::string(node.name()) +
                     ", which stands for several operators"};
    if (is_custom(node.kind()) && of_library)
      return Refusal{"it has no kernels for custom operators"};
  }
  return checked([&] { return backend.lower(chain); }, chain);
}

Lowering lower_custom_checked(const Node& node) {
  return checked([&] { return lower_custom(node); }, std::span(&node, 1));
}

}  // namespace webnn::inline v0_1
