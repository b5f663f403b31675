// One primitive, and the parts of the tensors it is run on.
#pragma once

#include <array>
#include <atomic>
#include <limits>

#include "src/kernels/common/library.h"
#include "src/kernels/common/packed_array.h"
#include "src/kernels/onednn/adapter.h"

namespace webnn::inline v0_1::onednn {

/// The values of the result to which the primitive adds: the residual and gemm's scaled c.
struct Prefill {
  int residual = -1;  // the index in Buffers::inputs of a tensor of the result's shape
  int addend = -1;    // the index of c
  float scale = 1;    // the factor of c
  float residual_scale = 1;
  std::size_t addend_at = 0, row_step = 0, column_step = 0;  // elements of c

  explicit operator bool() const { return residual >= 0 || addend >= 0; }
};

/// The arguments of a primitive, whose pointers one call at a time may set.
struct Arguments {
  memory x, w, bias, y, scratchpad;  // bias and scratchpad may be empty

  std::vector<dnnl_exec_arg_t> list() const;
};

/// Lends arguments to the threads that run a tile at the same time.
class ArgumentPool {
 public:
  ArgumentPool() = default;
  ArgumentPool(const ArgumentPool&) = delete;
  ~ArgumentPool();

  struct Entry {
    Arguments arguments;
    std::vector<dnnl_exec_arg_t> list;
  };
  /// Free ones, else null.
  Entry* take();
  void give(Entry* entry);

 private:
  std::array<std::atomic<Entry*>, 8> free_{};
};

/// One primitive and the calls of it: `a` is the input, `b` the weights that are not constant.
class Tile {
 public:
  dnnl::primitive primitive;
  Arguments arguments{};
  int w_slot = -1;                   // the index in Buffers::inputs when not constant
  PackedArray<std::byte> weights{};  // when constant
  int bias_slot = -1;                // the index in Buffers::inputs, when it is read as it is
  PackedArray<float> bias{};         // when it is packed
  std::size_t bias_at = 0;
  std::vector<CallOffsets> calls{};
  OutputRows output{};
  bool staged = false;  // the primitive writes rows without gaps: copy them to their places
  Prefill prefill{};
  /// The result is clamped by us: oneDNN's own post-operation makes a number of a NaN.
  float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();

  /// After all members above are set.
  void finish();
  std::size_t scratch_bytes() const;
  /// A call that fails in oneDNN writes NaN.
  void run(const Buffers& buffers, std::byte* scratch) const;

 private:
  ArgumentPool::Entry* made() const;
  void run(const Buffers& buffers, std::byte* scratch, ArgumentPool::Entry& with) const;
  std::size_t staging_bytes() const;
  void fill(const Buffers& buffers, const CallOffsets& call, float* to, std::size_t to_step) const;

  std::unique_ptr<ArgumentPool> pool_{};
};

/// Whether an implementation of oneDNN is not optimized: up to a thousand times as slow.
inline bool is_reference(std::string_view implementation) {
  return implementation.starts_with("ref");
}

/// The tiles of a kernel, and the memory that they use while they run.
struct Tiles {
  std::vector<Tile> tiles{};
  std::vector<WeightBlock> weights{};  // that they want
  std::string implementation{};

  std::size_t packed() const;  // bytes of weights
  /// Notes the implementation of one more tile. A kernel has the name of the first, or of one that
  /// is not optimized.
  void add_implementation(const std::string& name) {
    if (implementation.empty() || is_reference(name)) implementation = name;
  }
};

/// Weights, packed in each layout that the primitives of some tiles need.
class PackedLayouts {
 public:
  /// make(layout), the description of a primitive: of a layout that there is, but where oneDNN then
  /// has only its reference implementation, of any.
  template <class Make> auto describe(const memory::dims& dims, Make make) const {
    for (const auto& [layout, block] : packed_)
      if (auto made = make(layout); !is_reference(made.impl_info_str())) return made;
    return make(memory::desc(dims, f32, Tag::any));
  }
  /// The weights in this layout, by pack(layout) when they are not there yet.
  template <class Pack> PackedArray<std::byte> in(const memory::desc& layout, Pack pack) {
    for (const auto& [known, block] : packed_)
      if (known == layout) return block;
    return packed_.emplace_back(layout, pack(layout)).second;
  }

 private:
  std::vector<std::pair<memory::desc, PackedArray<std::byte>>> packed_{};
};

/// `kind`: "conv", "matmul". The kernel may write its result into the memory of the residual. A
/// refusal when the tiles need too much scratch.
Lowering kernel_of(std::shared_ptr<Tiles> tiles, std::string_view kind,
                   const Epilogue& epilogue = {});

/// Constant weights: those of an operand from an element on, in a layout, times a finite scale.
struct PlainWeights {
  MLOperand constant;
  int slot;
  std::size_t first;
  memory::desc layout;
  float scale = 1;
};
/// They are wanted in the layout `to`.
PackedArray<std::byte> pack(std::vector<WeightBlock>& weights, const PlainWeights& from,
                            const memory::desc& to);

/// The post-operations of an epilogue. `sums`: the primitive adds to the contents of the result;
/// `scale`: the factor of the sum.
dnnl::primitive_attr attributes_of(const Epilogue& epilogue, bool sums, float scale = 1);

}  // namespace webnn::inline v0_1::onednn
