#include "src/kernels/onednn/adapter.h"

#include <cstdio>
#include <span>

#include "src/kernels/common/checksum.h"

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
// <omp.h> may belong to another runtime than the one oneDNN was built with.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int);
#else
static int omp_get_max_threads() { return 1; }
static void omp_set_num_threads(int) {}
#endif

namespace webnn::inline v0_1::onednn {
namespace {

constexpr auto inference = dnnl::prop_kind::forward_inference;
constexpr auto direct = dnnl::algorithm::convolution_direct;

memory::dims zero_based(memory::dims dilations) {
  for (auto& d : dilations) --d;
  return dilations;
}

// Deleted with its thread.
struct Stream {
  dnnl_stream_t handle = nullptr;
  ~Stream() {
    if (handle) dnnl_stream_destroy(handle);
  }
};

}  // namespace

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl_stream_t stream() {
  thread_local Stream s;
  if (!s.handle &&
      dnnl_stream_create(&s.handle, cpu().get(), dnnl_stream_default_flags) != dnnl_success)
    s.handle = nullptr;
  return s.handle;
}

SingleThreadScope::SingleThreadScope() : before_(omp_get_max_threads()) {
  if (before_ != 1) omp_set_num_threads(1);
}
SingleThreadScope::~SingleThreadScope() {
  if (before_ != 1) omp_set_num_threads(before_);
}

namespace {

std::uint64_t mix(std::uint64_t h, std::int64_t v) {
  return mixed(h, static_cast<std::uint64_t>(v));
}
std::uint64_t mix(std::uint64_t h, std::span<const memory::dim> all) {
  h = mix(h, static_cast<std::int64_t>(all.size()));
  for (const memory::dim v : all) h = mix(h, v);
  return h;
}

}  // namespace

std::string version_text() {
  const dnnl_version_t& v = *dnnl_version();
  char text[64];
  std::snprintf(text, sizeof text, "%d.%d.%d isa %#x", v.major, v.minor, v.patch,
                static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
  return text;
}

#if DNNL_VERSION_MAJOR >= 3

std::uint64_t layout_hash(const memory::desc& d) {
  std::uint64_t h = mix(1, static_cast<std::int64_t>(d.get_format_kind()));
  h = mix(h, static_cast<std::int64_t>(d.get_data_type()));
  for (const memory::dims& list :
       {d.get_dims(), d.get_padded_dims(), d.get_strides(), d.get_inner_blks(), d.get_inner_idxs()})
    h = mix(h, list);
  return h;
}

dnnl::convolution_forward::primitive_desc convolution(const ConvolutionForm& f,
                                                      const dnnl::primitive_attr& attributes) {
  using Made = dnnl::convolution_forward::primitive_desc;
  const memory::dims dilations = zero_based(f.dilations);
  if (f.bias)
    return Made(cpu(), inference, direct, f.x, f.w, *f.bias, f.y, f.strides, dilations, f.pad_begin,
                f.pad_end, attributes);
  return Made(cpu(), inference, direct, f.x, f.w, f.y, f.strides, dilations, f.pad_begin, f.pad_end,
              attributes);
}

dnnl::matmul::primitive_desc matmul(const MatmulForm& f, const dnnl::primitive_attr& attributes) {
  using Made = dnnl::matmul::primitive_desc;
  if (f.bias) return Made(cpu(), f.x, f.w, *f.bias, f.y, attributes);
  return Made(cpu(), f.x, f.w, f.y, attributes);
}

Pooling pooling(dnnl::algorithm algorithm, const PoolingForm& f,
                const dnnl::primitive_attr& attributes) {
  const dnnl::pooling_forward::primitive_desc made(cpu(), inference, algorithm, f.x, f.y, f.strides,
                                                   f.window, zero_based(f.dilations), f.pad_begin,
                                                   f.pad_end, attributes);
  return {dnnl::pooling_forward(made), made.impl_info_str(), made.scratchpad_desc()};
}

memory::dims dims_of(const memory::desc& d) { return d.get_dims(); }

void append_eltwise(dnnl::post_ops& ops, dnnl::algorithm algorithm, float alpha, float beta) {
  ops.append_eltwise(algorithm, alpha, beta);
}
void append_hard_swish(dnnl::post_ops& ops) {
  ops.append_eltwise(dnnl::algorithm::eltwise_hardswish, 1.f / 6, 0.5f);
}

#else

std::uint64_t layout_hash(const memory::desc& d) {
  std::uint64_t h = mix(1, d.data.format_kind);
  h = mix(mix(h, d.data.data_type), static_cast<std::int64_t>(d.data.extra.flags));
  const auto rank = static_cast<std::size_t>(d.data.ndims);
  h = mix(mix(h, {d.data.dims, rank}), {d.data.padded_dims, rank});
  if (d.data.format_kind != dnnl_blocked) return h;
  const auto& b = d.data.format_desc.blocking;
  const auto blocks = static_cast<std::size_t>(b.inner_nblks);
  h = mix(h, {b.strides, rank});
  return mix(mix(h, {b.inner_blks, blocks}), {b.inner_idxs, blocks});
}

dnnl::convolution_forward::primitive_desc convolution(const ConvolutionForm& f,
                                                      const dnnl::primitive_attr& attributes) {
  using Desc = dnnl::convolution_forward::desc;
  const memory::dims dilations = zero_based(f.dilations);
  const Desc d =
      f.bias ? Desc(inference, direct, f.x, f.w, *f.bias, f.y, f.strides, dilations, f.pad_begin,
                    f.pad_end)
             : Desc(inference, direct, f.x, f.w, f.y, f.strides, dilations, f.pad_begin, f.pad_end);
  return {d, attributes, cpu()};
}

dnnl::matmul::primitive_desc matmul(const MatmulForm& f, const dnnl::primitive_attr& attributes) {
  using Desc = dnnl::matmul::desc;
  return {f.bias ? Desc(f.x, f.w, *f.bias, f.y) : Desc(f.x, f.w, f.y), attributes, cpu()};
}

// Two primitives: only pooling_v2 supports dilations, only pooling is fast for all sizes.
Pooling pooling(dnnl::algorithm algorithm, const PoolingForm& f,
                const dnnl::primitive_attr& attributes) {
  if (f.dilations == memory::dims{1, 1}) {
    const dnnl::pooling_forward::primitive_desc made(
        {inference, algorithm, f.x, f.y, f.strides, f.window, f.pad_begin, f.pad_end}, attributes,
        cpu());
    return {dnnl::pooling_forward(made), made.impl_info_str(), made.scratchpad_desc()};
  }
  const dnnl::pooling_v2_forward::primitive_desc made(
      {inference, algorithm, f.x, f.y, f.strides, f.window, zero_based(f.dilations), f.pad_begin,
       f.pad_end},
      attributes, cpu());
  return {dnnl::pooling_v2_forward(made), made.impl_info_str(), made.scratchpad_desc()};
}

memory::dims dims_of(const memory::desc& d) { return d.dims(); }

void append_eltwise(dnnl::post_ops& ops, dnnl::algorithm algorithm, float alpha, float beta) {
  ops.append_eltwise(1.f, algorithm, alpha, beta);
}
void append_hard_swish(dnnl::post_ops& ops) {
  ops.append_eltwise(1.f, dnnl::algorithm::eltwise_hardswish, 0, 0);
}

#endif

}  // namespace webnn::inline v0_1::onednn
