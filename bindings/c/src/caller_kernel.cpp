#include "bindings/c/src/caller_kernel.h"

namespace webnn::inline v0_1::c {

Lowering to_kernel(const webnn_kernel& k, std::shared_ptr<const void> keeper) {
  const auto owner = std::make_shared<Owner>();
  owner->release = k.release, owner->user = k.user;
  if (!k.run) return Refusal{"its kernel has no function run"};
  if (k.struct_size != sizeof k) return Refusal{"its kernel has another struct_size"};
  if (k.tiles < 1 || k.grain < 1 || k.rounds < 1)
    return Refusal{"its kernel has fewer than 1 tiles, grain or rounds"};
  Candidate kernel{.name = std::string(view(k.name)),
                   .tiles = k.tiles,
                   .grain = k.grain,
                   .rounds = k.rounds,
                   .scratch = k.scratch,
                   .shared = k.shared};
  if (k.packed) kernel.weights = {{.bytes = k.packed}};  // in memory of its own
  if (k.in_place >= 0) kernel.in_place = {k.in_place};
  kernel.run = [owner, keeper = std::move(keeper), run = k.run, user = k.user](
                   Range tiles, const Buffers& b, std::byte* scratch) {
    // std::byte* and void* are not the same type, but have the same representation.
    const webnn_kernel_run all{reinterpret_cast<const void* const*>(b.inputs.data()),
                               reinterpret_cast<void* const*>(b.outputs.data()),
                               b.shared,
                               scratch,
                               tiles.begin,
                               tiles.end,
                               tiles.round};
    run(user, &all);
  };
  return kernel;
}

}  // namespace webnn::inline v0_1::c
