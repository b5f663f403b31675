#include "tools/webnn/data/class_map.h"

#include <cmath>
#include <map>

#include "src/graph/text.h"
#include "tools/images/image.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/output.h"

namespace webnn::inline v0_1::tool {
namespace {

struct MapShape {
  std::uint32_t height, width, classes;
  bool nchw;
};

std::optional<MapShape> shape_of(const Dims& shape, const std::string& layout) {
  Dims s = shape;
  if (s.size() == 4 && s[0] == 1) s.erase(s.begin());
  if (s.size() == 2) return MapShape{s[0], s[1], 1, false};
  if (s.size() != 3) return std::nullopt;
  // Most images are square; of others the classes are fewer than rows or columns.
  const bool square_nhwc = s[0] == s[1], square_nchw = s[1] == s[2];
  const bool nchw = !layout.empty()              ? layout == "nchw"
                    : square_nhwc != square_nchw ? square_nchw
                                                 : s[0] < s[2];
  return nchw ? MapShape{s[1], s[2], s[0], true} : MapShape{s[0], s[1], s[2], false};
}

}  // namespace

std::optional<ClassMap> class_map(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                                  bool quantized, const std::string& layout) {
  const auto s = shape_of(d.shape, layout);
  if (!s || std::uint64_t{s->height} * s->width < 2) return std::nullopt;
  const bool scores = is_float(d.dataType) || quantized;
  if (s->classes == 1 && scores) return std::nullopt;
  const std::size_t pixels = std::size_t{s->height} * s->width;
  ClassMap map{s->width, s->height, std::vector<std::uint32_t>(pixels)};
  const std::vector<double> values = doubles_of(d, bytes);
  for (std::size_t p = 0; p < pixels; ++p) {
    if (s->classes == 1) {
      map.classes[p] = static_cast<std::uint32_t>(std::clamp(values[p], 0.0, 4294967295.0));
      continue;
    }
    std::uint32_t best = 0;
    const auto score = [&](std::uint32_t c) {
      return s->nchw ? values[c * pixels + p] : values[p * s->classes + c];
    };
    for (std::uint32_t c = 1; c < s->classes; ++c)
      if (score(c) > score(best) || std::isnan(score(best))) best = c;
    map.classes[p] = best;
  }
  return map;
}

std::array<std::uint8_t, 3> class_color(std::uint32_t index) {
  unsigned red = 0, green = 0, blue = 0;
  for (unsigned bit = 8; bit-- > 0; index >>= 3) {
    red |= (index & 1) << bit;
    green |= (index >> 1 & 1) << bit;
    blue |= (index >> 2 & 1) << bit;
  }
  return {static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
          static_cast<std::uint8_t>(blue)};
}

std::vector<std::byte> picture_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                                  bool quantized, const std::string& layout,
                                  const std::string& name) {
  std::vector<std::uint8_t> rgb;
  if (const auto map = class_map(d, bytes, quantized, layout)) {
    for (std::uint32_t c : map->classes)
      for (std::uint8_t v : class_color(c)) rgb.push_back(v);
    return images::png_of(map->width, map->height, rgb);
  }
  const auto s = shape_of(d.shape, layout);
  if (!s || s->classes != 1)
    throw CommandError("output " + in_quotes(name) + ": " + type_text(d) +
                       " is not an image: classes of pixels need the shape [1, height, width, "
                       "classes] or [1, classes, height, width], and gray needs one channel");
  const Statistics stats = statistics_of(d, bytes);
  const double span = stats.max > stats.min ? stats.max - stats.min : 1;
  for (double v : doubles_of(d, bytes)) {
    const double gray = std::isfinite(v) ? std::nearbyint((v - stats.min) / span * 255) : 0;
    rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>(gray));
  }
  return images::png_of(s->width, s->height, rgb);
}

std::vector<std::pair<std::uint32_t, std::size_t>> pixels_of_classes(const ClassMap& map) {
  std::map<std::uint32_t, std::size_t> count;
  for (std::uint32_t c : map.classes) ++count[c];
  std::vector<std::pair<std::uint32_t, std::size_t>> all(count.begin(), count.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

}  // namespace webnn::inline v0_1::tool
