#include "src/kernels/common/finite.h"
#include "src/kernels/common/halo.h"
#include "src/kernels/common/library.h"
#include "src/kernels/common/pooling.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/onednn/backend.h"
#include "src/kernels/onednn/tile.h"

namespace webnn::inline v0_1::onednn {
namespace {

std::optional<std::string> refusal_reason(const Pooling2d& p) {
  if (!windows_meet_input(p)) return "a window without an element of the input";
  if (std::max(p.window_height, p.window_width) > 4096) return "the window is too large";
  if (std::max({p.stride_y, p.stride_x, p.dilation_y, p.dilation_x}) > 4096)
    return "a stride or dilation above 4096";
  if (p.pad_top >= p.effective_height() || p.pad_left >= p.effective_width() ||
      p.beyond_bottom() >= p.effective_height() || p.beyond_right() >= p.effective_width())
    return "the padding is not smaller than the window";
  if (p.batch > 65536) return "more than 65536 images";
  return std::nullopt;
}

/// Parts of images or rows (nhwc), or of images or channels (nchw).
std::vector<ImageRegion> parts_of(const Pooling2d& p) {
  const double reads = static_cast<double>(p.batch) * p.channels * p.out_height * p.out_width *
                       p.window_height * p.window_width;
  const int wanted = library_tiles(reads / pooling_rate);
  const ImageRegion whole{0, p.batch, 0, p.out_height, 0, p.channels};
  std::vector<ImageRegion> parts;
  const auto split = [&](int count, int ImageRegion::*begin, int ImageRegion::*end) {
    const int tiles = std::min(wanted, count);
    for (int i = 0; i < tiles; ++i) {
      ImageRegion part = whole;
      part.*begin = count * i / tiles;
      part.*end = count * (i + 1) / tiles;
      parts.push_back(part);
    }
  };
  if (p.batch >= wanted) split(p.batch, &ImageRegion::n0, &ImageRegion::n1);
  else if (p.nhwc) split(p.out_height, &ImageRegion::r0, &ImageRegion::r1);
  else split(p.channels, &ImageRegion::c0, &ImageRegion::c1);
  return parts;
}

void add(Tiles& tiles, const Pooling2d& p, dnnl::algorithm algorithm, const ImageRegion& part) {
  const Halo rows =
      p.nhwc ? halo(part.r0, part.r1, p.stride_y, p.effective_height(), p.pad_top, p.height)
             : whole_halo(p.out_height, p.stride_y, p.effective_height(), p.pad_top, p.height);
  const Halo columns =
      whole_halo(p.out_width, p.stride_x, p.effective_width(), p.pad_left, p.width);
  const auto image = [&](int rows, int columns) {
    return memory::desc({1, part.c1 - part.c0, rows, columns}, f32, p.nhwc ? Tag::nhwc : Tag::nchw);
  };
  const PoolingForm form{.x = image(rows.size(), p.width),
                         .y = image(part.r1 - part.r0, p.out_width),
                         .window = {p.window_height, p.window_width},
                         .strides = {p.stride_y, p.stride_x},
                         .dilations = {p.dilation_y, p.dilation_x},
                         .pad_begin = {rows.before, columns.before},
                         .pad_end = {rows.after, columns.after}};
  const Pooling made = pooling(algorithm, form, attributes_of({}, false));
  tiles.add_implementation(made.name);
  Tile t;
  t.primitive = made.primitive;
  t.arguments.x = memory(form.x, cpu(), nullptr);
  t.arguments.y = memory(form.y, cpu(), nullptr);
  if (made.scratchpad.get_size() > 0)
    t.arguments.scratchpad = memory(made.scratchpad, cpu(), nullptr);
  const std::size_t in_area = to_size(p.height) * to_size(p.width),
                    out_area = to_size(p.out_height) * to_size(p.out_width);
  const std::size_t x = p.nhwc ? to_size(rows.begin) * to_size(p.width) * to_size(p.channels)
                               : to_size(part.c0) * in_area;
  const std::size_t y = p.nhwc ? to_size(part.r0) * to_size(p.out_width) * to_size(p.channels)
                               : to_size(part.c0) * out_area;
  t.output.columns = to_size(part.r1 - part.r0) * to_size(p.out_width) * to_size(part.c1 - part.c0);
  for (int i = part.n0; i < part.n1; ++i)
    t.calls.push_back({to_size(i) * in_area * to_size(p.channels) + x, 0,
                       to_size(i) * out_area * to_size(p.channels) + y});
  tiles.tiles.push_back(std::move(t));
}

/// Whether all elements of an image that a part reads are finite.
bool reads_finite(const Pooling2d& p, const ImageRegion& part, const float* image) {
  if (!p.nhwc) {
    const std::size_t area = to_size(p.height) * to_size(p.width);
    return all_finite(image + to_size(part.c0) * area, to_size(part.c1 - part.c0) * area);
  }
  const Halo rows = halo(part.r0, part.r1, p.stride_y, p.effective_height(), p.pad_top, p.height);
  const std::size_t row = to_size(p.width) * to_size(p.channels);
  return all_finite(image + to_size(rows.begin) * row, to_size(rows.size()) * row);
}

/// oneDNN loses a NaN beside a number, and starts from the lowest finite number, which is wrong
/// where all elements are -infinity: recomputes windows of parts with elements that are not finite.
void repair(const Pooling2d& p, const ImageRegion& part, const Buffers& b) {
  const std::size_t out_area = to_size(p.out_height) * to_size(p.out_width),
                    out_row = to_size(p.out_width) * to_size(p.channels);
  for (int i = part.n0; i < part.n1; ++i) {
    const float* image =
        b.in<float>() + to_size(i) * to_size(p.height) * to_size(p.width) * to_size(p.channels);
    float* first = b.out<float>() + to_size(i) * out_area * to_size(p.channels);
    float* at = first + (p.nhwc ? to_size(part.r0) * out_row : to_size(part.c0) * out_area);
    float* const end = first + (p.nhwc ? to_size(part.r1) * out_row : to_size(part.c1) * out_area);
    if (reads_finite(p, part, image)) continue;
    while (at != end) {
      const auto k = static_cast<int>(at - first), width = p.out_width;
      const int channel = p.nhwc ? k % p.channels : k / (p.out_height * width);
      const int pixel = p.nhwc ? k / p.channels : k % (p.out_height * width);
      *at++ = largest_in_window(p, image, channel, pixel / width, pixel % width);
    }
  }
}

Lowering lower(const MLOperand& input, const MLPool2dOptions& options, const MLOperand& result,
               dnnl::algorithm algorithm) {
  const auto p = pooling_of(input, options, result);
  if (!p) return Refusal{"a dimension is too large"};
  if (auto reason = refusal_reason(*p)) return Refusal{*reason};
  auto tiles = std::make_shared<Tiles>();
  const std::vector<ImageRegion> parts = parts_of(*p);
  for (const ImageRegion& part : parts) add(*tiles, *p, algorithm, part);
  Lowering lowering = kernel_of(std::move(tiles), "pool", {});
  Candidate* k = std::get_if<Candidate>(&lowering);
  if (k && algorithm == dnnl::algorithm::pooling_max) {
    k->run = [run = std::move(k->run), p = *p, parts](Range r, const Buffers& b,
                                                      std::byte* scratch) {
      run(r, b, scratch);
      for (int i = r.begin; i < r.end; ++i) repair(p, parts[static_cast<std::size_t>(i)], b);
    };
  }
  return lowering;
}

}  // namespace

Lowering lower(const ops::averagePool2d& op, const LoweringRequest& request) {
  return lower(op.input, op.options, request.result, dnnl::algorithm::pooling_avg_exclude_padding);
}
Lowering lower(const ops::maxPool2d& op, const LoweringRequest& request) {
  return lower(op.input, op.options, request.result, dnnl::algorithm::pooling_max);
}

}  // namespace webnn::inline v0_1::onednn
