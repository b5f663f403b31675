#include "tools/webnn/data/feeds_from.h"

#include <fmt/format.h>

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/data/npy.h"
#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {
namespace {

/// Whether the shapes are the same but for leading ones.
bool same_shape(std::span<const std::uint64_t> a, const Dims& b) {
  std::size_t i = 0, k = 0;
  while (a.size() - i > b.size() - k && a[i] == 1) ++i;
  while (b.size() - k > a.size() - i && b[k] == 1) ++k;
  return std::equal(a.begin() + static_cast<std::ptrdiff_t>(i), a.end(),
                    b.begin() + static_cast<std::ptrdiff_t>(k), b.end());
}

bool whole_and_in(double v, std::pair<double, double> range) {
  return v == std::floor(v) && v >= range.first && v <= range.second;
}

/// How the pixel values 0 to 255 are converted.
struct Normalization {
  std::vector<float> mean, std;
  float scale;
  bool asked;  ///< else an int8 input has pixel - 128, and other types the pixel itself

  double operator()(double pixel, std::size_t channel) const {
    const auto of = [&](const std::vector<float>& v, double none) {
      return v.empty() ? none : v.size() == 1 ? v[0] : v[channel];
    };
    return (pixel * scale - of(mean, 0)) / of(std, 1);
  }
};

Normalization normalization(const InputOptions& o, std::uint32_t channels) {
  for (const auto& [name, list] : {std::pair("--mean", &o.mean), std::pair("--std", &o.std)})
    if (list->size() > 1 && list->size() != channels)
      throw Usage(fmt::format("{}: there are {} values, but the input has {}", name, list->size(),
                              counted(channels, "channel")));
  for (float s : o.std)
    if (!(s != 0)) throw Usage("--std: a value is 0");
  return {o.mean, o.std, o.scale.value_or(1), !o.mean.empty() || !o.std.empty() || o.scale};
}

struct Layout {
  bool nchw;
  std::uint32_t channels, height, width;
};
Layout layout_of(const MLOperandDescriptor& d, const InputOptions& o) {
  const auto pixel = [](std::uint32_t n) { return n == 1 || n == 3 || n == 4; };
  const Dims& s = d.shape;
  const std::size_t batch = s.size() == 4 && s[0] == 1 ? 1 : 0;
  if (s.size() == 2) return {false, 1, s[0], s[1]};
  const bool fits = s.size() == batch + 3;
  const bool nhwc = fits && pixel(s[batch + 2]) && o.layout != "nchw";
  const bool nchw = fits && pixel(s[batch]) && o.layout != "nhwc";
  // [1, 28, 28] has its channel in front; with the channels behind it would be one row of pixels.
  const bool one_row = batch == 0 && nchw && s[0] == 1;
  if (nhwc && !one_row) return {false, s[batch + 2], s[batch], s[batch + 1]};
  if (nchw) return {true, s[batch], s[batch + 1], s[batch + 2]};
  throw CommandError("an image does not fit an input of shape " + detail::Arg(std::span(s)).text +
                     (o.layout.empty() ? "" : " in layout " + o.layout) +
                     ": one image of 1, 3 or 4 channels is [1, height, width, channels], "
                     "[1, channels, height, width], one of these without the 1, or [height, "
                     "width]");
}

}  // namespace

std::vector<std::byte> from_npy(const std::filesystem::path& path, const MLOperandDescriptor& d,
                                const std::optional<Quantization>& q, std::string& from) {
  const std::vector<std::byte> file = read_file(path);
  const std::string name = shown(path);
  const Array a = parse_npy(file, name);
  if (!same_shape(a.shape, d.shape))
    throw CommandError(name + ": its shape " +
                       detail::Arg(std::span<const std::uint64_t>(a.shape)).text +
                       " is not that of the input, " + detail::Arg(std::span(d.shape)).text);
  const bool floats = a.kind == 'f', to_integer = !is_float(d.dataType);
  const std::string same = std::string(name_of(d.dataType));
  if ((floats && to_integer && !q) || (a.kind == 'V' && a.type() != same))
    throw CommandError(name + ": its type " + a.type() + " is not that of the input, " + same);
  from = name + (floats && to_integer ? ", quantized" : "");
  std::vector<std::byte> bytes(byte_length(d));
  if (a.type() == same) {
    std::copy(a.bytes.begin(), a.bytes.end(), bytes.begin());
    return bytes;
  }
  const auto range = to_integer ? range_of(d.dataType) : std::pair(0.0, 0.0);
  for (std::uint64_t i = 0; i < a.count; ++i) {
    double v = a.at(i);
    if (to_integer && floats) v = v / static_cast<double>(q->scale) + q->zero_point;
    else if (to_integer && !whole_and_in(v, range))
      throw CommandError(
          fmt::format("{}: element {} ({}) is not in the range of {}", name, i, v, same));
    store(v, d.dataType, bytes, i);
  }
  return bytes;
}

std::vector<std::byte> from_raw(const std::filesystem::path& path, const MLOperandDescriptor& d,
                                std::string& from) {
  std::vector<std::byte> bytes = read_file(path);
  if (bytes.size() != byte_length(d))
    throw CommandError(fmt::format("{}: its size ({}) is not that of {} ({} bytes)", shown(path),
                                   bytes.size(), type_text(d), byte_length(d)));
  from = shown(path);
  return bytes;
}

namespace {

images::Image read_image(const std::filesystem::path& path, std::uint32_t channels) {
  try {
    return images::read_image(path, channels);
  } catch (const images::ImageError& e) { throw CommandError(e.what()); }
}

}  // namespace

std::vector<std::byte> from_image(const std::filesystem::path& path, const MLOperandDescriptor& d,
                                  const std::optional<Quantization>& q, const InputOptions& o,
                                  std::string& from) {
  const Layout l = layout_of(d, o);
  const Normalization normal = normalization(o, l.channels);
  const images::Image original = read_image(path, l.channels);
  const bool fits = original.width == l.width && original.height == l.height;
  if (!fits && o.resize == "none")
    throw CommandError(
        fmt::format("{}: its size ({}x{}) is not that of the input ({}x{}), and --resize "
                    "is none",
                    shown(path), original.width, original.height, l.width, l.height));
  const images::Resize how = o.resize == "crop"  ? images::Resize::crop
                             : o.resize == "pad" ? images::Resize::pad
                                                 : images::Resize::stretch;
  const images::Image image = fits ? original : resize(original, l.width, l.height, how);
  from = fmt::format("{}, {}x{}{}", shown(path), original.width, original.height,
                     fits ? "" : fmt::format(" -> {}x{}", l.width, l.height));
  const bool eight_bits = d.dataType == int8 || d.dataType == uint8;
  std::vector<std::byte> bytes(byte_length(d));
  for (std::uint32_t y = 0; y < l.height; ++y)
    for (std::uint32_t x = 0; x < l.width; ++x)
      for (std::uint32_t c = 0; c < l.channels; ++c) {
        const std::uint32_t source = o.bgr && l.channels >= 3 && c < 3 ? 2 - c : c;
        // A stretched image is rounded to integers, as in a file.
        const double pixel = std::nearbyint(static_cast<double>(image.at(x, y, source)));
        double v = normal(pixel, c);
        if (!normal.asked && d.dataType == int8) v = pixel - 128;
        if (normal.asked && eight_bits && q) v = v / static_cast<double>(q->scale) + q->zero_point;
        const std::size_t at = l.nchw ? (std::size_t{c} * l.height + y) * l.width + x
                                      : (std::size_t{y} * l.width + x) * l.channels + c;
        store(v, d.dataType, bytes, at);
      }
  return bytes;
}

}  // namespace webnn::inline v0_1::tool
