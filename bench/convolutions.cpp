// oneDNN's convolutions on our tiles and threads against oneDNN with its own OpenMP threads: the
// convolutions of MobileNetV2 and ResNet-50, alternating in one process.
//   convolutions [threads] [rounds]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/timing.h"
#include "src/kernels/onednn/adapter.h"
#include "src/kernels/onednn/tile.h"
#include "webnn/webnn.h"

extern "C" void omp_set_num_threads(int);

using namespace webnn;
using bench::median, bench::now_us;

namespace {

struct Shape {
  const char* network;
  int times;  // how often the network has it
  std::uint32_t size, inputs, outputs, kernel, stride;
  bool depthwise;
};

constexpr const char *mobilenet = "MobileNetV2", *resnet = "ResNet-50";
constexpr Shape shapes[] = {
    {mobilenet, 1, 224, 3, 32, 3, 2, false},  {mobilenet, 1, 112, 32, 32, 3, 1, true},
    {mobilenet, 1, 112, 32, 16, 1, 1, false}, {mobilenet, 1, 112, 16, 96, 1, 1, false},
    {mobilenet, 1, 112, 96, 96, 3, 2, true},  {mobilenet, 1, 56, 96, 24, 1, 1, false},
    {mobilenet, 2, 56, 24, 144, 1, 1, false}, {mobilenet, 1, 56, 144, 144, 3, 1, true},
    {mobilenet, 1, 56, 144, 24, 1, 1, false}, {mobilenet, 1, 56, 144, 144, 3, 2, true},
    {mobilenet, 1, 28, 144, 32, 1, 1, false}, {mobilenet, 3, 28, 32, 192, 1, 1, false},
    {mobilenet, 2, 28, 192, 192, 3, 1, true}, {mobilenet, 2, 28, 192, 32, 1, 1, false},
    {mobilenet, 1, 28, 192, 192, 3, 2, true}, {mobilenet, 1, 14, 192, 64, 1, 1, false},
    {mobilenet, 4, 14, 64, 384, 1, 1, false}, {mobilenet, 4, 14, 384, 384, 3, 1, true},
    {mobilenet, 3, 14, 384, 64, 1, 1, false}, {mobilenet, 1, 14, 384, 96, 1, 1, false},
    {mobilenet, 3, 14, 96, 576, 1, 1, false}, {mobilenet, 2, 14, 576, 576, 3, 1, true},
    {mobilenet, 2, 14, 576, 96, 1, 1, false}, {mobilenet, 1, 14, 576, 576, 3, 2, true},
    {mobilenet, 1, 7, 576, 160, 1, 1, false}, {mobilenet, 3, 7, 160, 960, 1, 1, false},
    {mobilenet, 3, 7, 960, 960, 3, 1, true},  {mobilenet, 2, 7, 960, 160, 1, 1, false},
    {mobilenet, 1, 7, 960, 320, 1, 1, false}, {mobilenet, 1, 7, 320, 1280, 1, 1, false},
    {resnet, 1, 224, 3, 64, 7, 2, false},     {resnet, 1, 56, 64, 64, 1, 1, false},
    {resnet, 3, 56, 64, 64, 3, 1, false},     {resnet, 4, 56, 64, 256, 1, 1, false},
    {resnet, 2, 56, 256, 64, 1, 1, false},    {resnet, 1, 56, 256, 128, 1, 1, false},
    {resnet, 1, 56, 128, 128, 3, 2, false},   {resnet, 4, 28, 128, 512, 1, 1, false},
    {resnet, 1, 56, 256, 512, 1, 2, false},   {resnet, 3, 28, 512, 128, 1, 1, false},
    {resnet, 3, 28, 128, 128, 3, 1, false},   {resnet, 1, 28, 512, 256, 1, 1, false},
    {resnet, 1, 28, 256, 256, 3, 2, false},   {resnet, 6, 14, 256, 1024, 1, 1, false},
    {resnet, 1, 28, 512, 1024, 1, 2, false},  {resnet, 5, 14, 1024, 256, 1, 1, false},
    {resnet, 5, 14, 256, 256, 3, 1, false},   {resnet, 1, 14, 1024, 512, 1, 1, false},
    {resnet, 1, 14, 512, 512, 3, 2, false},   {resnet, 3, 7, 512, 2048, 1, 1, false},
    {resnet, 1, 14, 1024, 2048, 1, 2, false}, {resnet, 2, 7, 2048, 512, 1, 1, false},
    {resnet, 2, 7, 512, 512, 3, 1, false}};

/// Microseconds of one call: the fastest tenth of the calls of some milliseconds. By then threads
/// of the other runtime have stopped spinning.
template <class F> double block_us(F f) {
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  for (int i = 0; i < 5; ++i) f();
  std::vector<double> times;
  for (const double begin = now_us(); now_us() - begin < 6000 || times.size() < 5;) {
    const double t = now_us();
    f();
    times.push_back(now_us() - t);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 10];
}

std::vector<float> values(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(static_cast<float>(i));
  return v;
}

/// The convolution with bias and clamp, as oneDNN itself would run it.
class Whole {
 public:
  Whole(const Shape& s, std::uint32_t out, std::vector<float>& x, std::vector<float>& y) {
    using namespace onednn;
    const auto d = [](auto v) { return static_cast<memory::dim>(v); };
    const memory::dim pad = d(s.kernel / 2), k = d(s.kernel);
    const memory::dims filter = s.depthwise ? memory::dims{d(s.inputs), 1, 1, k, k}
                                            : memory::dims{d(s.outputs), d(s.inputs), k, k};
    const memory::dim end = (d(out) - 1) * d(s.stride) + k - d(s.size) - pad;
    const ConvolutionForm form{
        .x = {{1, d(s.inputs), d(s.size), d(s.size)}, f32, Tag::nhwc},
        .w = {filter, f32, Tag::any},
        .y = {{1, d(s.outputs), d(out), d(out)}, f32, Tag::nhwc},
        .bias = memory::desc({d(s.outputs)}, f32, Tag::a),
        .strides = {d(s.stride), d(s.stride)},
        .dilations = {1, 1},
        .pad_begin = {pad, pad},
        .pad_end = {std::max<memory::dim>(0, end), std::max<memory::dim>(0, end)}};
    dnnl::post_ops ops;
    append_eltwise(ops, dnnl::algorithm::eltwise_clip, 0, 6);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(ops);
    const auto made = convolution(form, attributes);
    primitive_ = dnnl::convolution_forward(made);
    arguments_ = {{DNNL_ARG_SRC, memory(form.x, cpu(), x.data())},
                  {DNNL_ARG_WEIGHTS, memory(made.weights_desc(), cpu())},
                  {DNNL_ARG_BIAS, memory(*form.bias, cpu())},
                  {DNNL_ARG_DST, memory(form.y, cpu(), y.data())}};
    const memory weights = arguments_.at(DNNL_ARG_WEIGHTS), bias = arguments_.at(DNNL_ARG_BIAS);
    std::fill_n(static_cast<float*>(weights.get_data_handle()), made.weights_desc().get_size() / 4,
                0.01f);
    std::fill_n(static_cast<float*>(bias.get_data_handle()), s.outputs, 0.1f);
  }
  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::primitive primitive_;
  dnnl::stream stream_{onednn::cpu()};
  std::unordered_map<int, dnnl::memory> arguments_;
};

struct Times {
  double ours, theirs;
};

/// One graph with several copies of the convolution, each with other weights and another result, so
/// that the cost of a dispatch matters as little as in a network.
Times measure(const Shape& s, int threads, int rounds) {
  const std::uint32_t out = (s.size + s.stride - 1) / s.stride, pad = s.kernel / 2;
  const std::uint32_t covered = (out - 1) * s.stride + s.kernel, size = s.size + pad;
  const std::uint32_t end = covered > size ? covered - size : 0, each = s.depthwise ? 1 : s.inputs;
  const std::size_t weights = std::size_t{s.outputs} * s.kernel * s.kernel * each;
  const int copies = weights < 300'000 ? 8 : 2;
  std::vector<float> x = values(std::size_t{s.size} * s.size * s.inputs);
  std::vector<std::vector<float>> results(copies);
  MLContext context({.threads = threads, .backends = {"onednn"}});
  MLGraphBuilder b(context);
  const MLOperand input = b.input("x", {float32, {1, s.size, s.size, s.inputs}});
  const auto bias = values(s.outputs);
  NamedOperands outputs;
  for (int i = 0; i < copies; ++i) {
    auto filter = values(weights);
    filter[0] = static_cast<float>(i);
    const MLOperand y =
        b.conv2d(input, b.constant({float32, {s.outputs, s.kernel, s.kernel, each}}, filter),
                 {.padding = {pad, end, pad, end},
                  .strides = {s.stride, s.stride},
                  .groups = s.depthwise ? s.inputs : 1,
                  .inputLayout = MLInputOperandLayout::nhwc,
                  .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                  .bias = b.constant({float32, {s.outputs}}, bias)});
    outputs.push_back({"y" + std::to_string(i), b.clamp(y, {.minValue = 0, .maxValue = 6})});
  }
  const MLGraph graph = b.build(outputs);
  omp_set_num_threads(threads);
  std::vector<Whole> whole;
  std::vector<NamedOutput> named;
  for (int i = 0; i < copies; ++i) {
    results[i].resize(std::size_t{out} * out * s.outputs);
    whole.emplace_back(s, out, x, results[i]);
    named.push_back({outputs[i].name, results[i]});
  }
  std::vector<double> ours, theirs;
  for (int i = 0; i < rounds; ++i) {
    ours.push_back(block_us([&] { context.compute(graph, {{"x", x}}, named); }) / copies);
    theirs.push_back(block_us([&] {
                       for (Whole& w : whole) w.run();
                     }) /
                     copies);
  }
  return {median(ours), median(theirs)};
}

}  // namespace

int main(int argc, char** argv) try {
  const int threads =
      argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  std::printf("oneDNN on our tiles and on its own OpenMP threads, %d threads, microseconds\n",
              threads);
  double ours = 0, theirs = 0, worst = 1e9;
  const char* network = shapes[0].network;
  const auto sum = [&] {
    std::printf("%-12s in sum %29.0f %8.0f   %5.1f %%\n", network, ours, theirs,
                100 * theirs / ours);
    ours = theirs = 0;
  };
  for (const Shape& s : shapes) {
    if (s.network != network) sum();
    network = s.network;
    const Times t = measure(s, threads, rounds);
    std::printf("%-12s %3ux%-3u %4u -> %4u %ux%u/%u%s %8.1f %8.1f   %5.1f %%\n", s.network, s.size,
                s.size, s.inputs, s.outputs, s.kernel, s.kernel, s.stride,
                s.depthwise ? "dw" : "  ", t.ours, t.theirs, 100 * t.theirs / t.ours);
    std::fflush(stdout);
    ours += s.times * t.ours;
    theirs += s.times * t.theirs;
    worst = std::min(worst, t.theirs / t.ours);
  }
  sum();
  std::printf("worst of all %.1f %%\n", 100 * worst);
} catch (const std::exception& e) {
  std::fprintf(stderr, "convolutions: %s\n", e.what());
  return 1;
}
