// The packed weights of a kernel that a test runs by itself.
#pragma once

#include "src/runtime/packed_weights.h"

namespace webnn::inline v0_1::test {

class Packed {
 public:
  Packed(const Candidate& kernel, Chain chain)
      : choice_{{chain.begin(), chain.end()}, kernel, "", {}} {
    struct Alone final : ThreadPool {
      int threads() const override { return 1; }
      void run(void (*body)(void*, int), void* argument) override { body(argument, 0); }
    } alone;
    store_.pack({&choice_, 1}, alone);
    for (const auto& block : choice_.blocks) weights_.push_back(block->bytes.data());
  }

  /// For Buffers::weights.
  std::span<const std::byte* const> weights() const { return weights_; }
  const PackedBlocks& blocks() const { return choice_.blocks; }

 private:
  PackedWeights store_{};
  Choice choice_;
  std::vector<const std::byte*> weights_{};
};

}  // namespace webnn::inline v0_1::test
