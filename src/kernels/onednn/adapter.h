// The only file that includes oneDNN: the differences between versions 2 and 3, and how to keep it
// on one thread.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

namespace webnn::inline v0_1::onednn {

using dnnl::memory;
using Tag = memory::format_tag;
inline constexpr auto f32 = memory::data_type::f32;

const dnnl::engine& cpu();
/// The stream of this thread; null when there is no memory for it.
dnnl_stream_t stream();

/// During its lifetime, oneDNN creates and runs primitives of this thread on this thread only. The
/// destructor restores the caller's OpenMP setting.
class SingleThreadScope {
 public:
  SingleThreadScope();
  ~SingleThreadScope();
  SingleThreadScope(const SingleThreadScope&) = delete;

 private:
  int before_;
};

struct ConvolutionForm {
  memory::desc x, w, y;
  std::optional<memory::desc> bias;
  memory::dims strides, dilations, pad_begin, pad_end;  // dilations: 1 is dense
};
dnnl::convolution_forward::primitive_desc convolution(const ConvolutionForm& form,
                                                      const dnnl::primitive_attr& attributes);

struct MatmulForm {
  memory::desc x, w, y;
  std::optional<memory::desc> bias;
};
dnnl::matmul::primitive_desc matmul(const MatmulForm& form, const dnnl::primitive_attr& attributes);

struct PoolingForm {
  memory::desc x, y;
  memory::dims window, strides, dilations, pad_begin, pad_end;
};
/// The primitive, its name, and the bytes of scratch that it needs.
struct Pooling {
  dnnl::primitive primitive;
  std::string name;
  memory::desc scratchpad;
};
Pooling pooling(dnnl::algorithm algorithm, const PoolingForm& form,
                const dnnl::primitive_attr& attributes);

memory::dims dims_of(const memory::desc& d);
/// A hash of all that says where an element lies.
std::uint64_t layout_hash(const memory::desc& d);
/// The version, and the instruction set that primitives are made for.
std::string version_text();

void append_eltwise(dnnl::post_ops& ops, dnnl::algorithm algorithm, float alpha, float beta);
/// x * max(0, min(6, x + 3)) / 6
void append_hard_swish(dnnl::post_ops& ops);

}  // namespace webnn::inline v0_1::onednn
