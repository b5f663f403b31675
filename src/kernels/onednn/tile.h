// One primitive, and the parts of the tensors it is run on.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "src/kernels/common/fused.h"
#include "src/kernels/onednn/adapter.h"

namespace webnn::onednn {

/// The elements of the tensors at which one call begins.
struct Place {
  std::size_t x = 0, w = 0, y = 0;
};

/// What the result holds before the primitive adds to it: the residual, and gemm's scaled c.
struct Prefill {
  int residual = -1;  // the index in Buffers::inputs of a tensor of the result's shape
  int addend = -1;    // the index of c
  float scale = 1;    // of c
  float residual_scale = 1;
  std::size_t addend_at = 0, row_step = 0, column_step = 0;  // elements of c

  explicit operator bool() const { return residual >= 0 || addend >= 0; }
};

/// The same primitive at one or more places. Not to be run twice at the same time.
class Tile {
 public:
  dnnl::primitive primitive;
  memory x, w, bias, y, scratchpad;  // bias and scratchpad may be empty
  int w_slot = -1, bias_slot = -1;   // the index in Buffers::inputs when not constant
  std::size_t bias_at = 0;
  std::vector<Place> places{};
  // The part of the result that one call writes: rows of `columns` elements, `step` apart.
  std::size_t rows = 1, columns = 0, step = 0;
  bool staged = false;  // the primitive writes rows without gaps: copy them to their places
  Prefill prefill{};

  /// Once everything above is set: collects the arguments of the calls.
  void finish();
  std::size_t scratch_bytes() const;
  /// A call that oneDNN fails leaves NaN.
  void run(const Buffers& buffers, std::byte* scratch);

 private:
  std::size_t staging_bytes() const;
  void fill(const Buffers& buffers, const Place& place, float* to, std::size_t to_step) const;

  std::array<dnnl_exec_arg_t, 5> arguments_{};
  int argument_count_ = 0;
};

/// What keeps the tiles' memory alive while they run.
struct Tiles {
  std::vector<Tile> tiles{};
  std::vector<float> bias{};
  std::size_t packed = 0;  // bytes of weights
  std::string implementation{};
};

/// `kind`: "conv", "matmul". A residual's memory may become the result's.
Kernel kernel_of(std::shared_ptr<Tiles> tiles, std::string_view kind,
                 const Epilogue& epilogue = {});

/// Packs weights that lie as `from` says into memory that is laid out as `to` says.
memory pack(const float* weights, const memory::desc& from, const memory::desc& to);

/// The post-operations of an epilogue. `sums`: the primitive adds to what the result holds;
/// `scale`: of the sum.
dnnl::primitive_attr attributes_of(const Epilogue& epilogue, bool sums, float scale = 1);

/// The dispatch's scratch must be affordable for each worker.
inline constexpr std::size_t max_scratch = std::size_t{64} << 20;

}  // namespace webnn::onednn
