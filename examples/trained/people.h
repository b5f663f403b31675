// The network that finds people in gray frames of 64 x 64 pixels, and frames that it was not
// trained on. A program builds of it what it needs: the mask, the points, or both.
#pragma once

#include <algorithm>
#include <cmath>

#include "picture.h"
#include "weights.h"

namespace trained {

constexpr std::uint32_t frame_size = 64, map_size = 32;
enum Point {
  head,
  left_shoulder,
  right_shoulder,
  left_elbow,
  right_elbow,
  left_wrist,
  right_wrist,
  left_eye,
  right_eye,
  nose,
  left_mouth,
  right_mouth,
  points
};

struct PeopleOperands {
  Operand frame;  ///< uint8 [1, 1, 64, 64], an input
  Operand mask;   ///< float32 [1, 1, 64, 64], the probability of each pixel to be of a person
  Operand maps;   ///< float32 [1, points, 32, 32], where each point is
  Operand boxes;  ///< float32 [1, 4, 32, 32], at a head: how far the person reaches to the left,
                  ///< the top, the right and the bottom, in 32 pixels
};

inline PeopleOperands people_network(webnn::MLGraphBuilder& b,
                                     const webnn::safetensors::File& file) {
  using namespace webnn;
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const std::string& name, std::uint32_t stride) {
    return layers.conv2d(x, name, {.padding = {1, 1, 1, 1}, .strides = {stride, stride}}).relu();
  };
  const auto up = [](Operand x) {
    return x.resample2d({.mode = MLInterpolationMode::linear, .scales = {2, 2}});
  };
  Operand frame = b.input("frame", {uint8, {1, 1, frame_size, frame_size}});
  Operand a = conv(frame.cast(float32) / 255.f - 0.5f, "down1", 2);
  Operand c = conv(a, "down2", 2);
  Operand d = conv(conv(c, "down3", 2), "down4", 1);
  d = d + layers.conv2d(d, "wide", {.padding = {2, 2, 2, 2}, .dilations = {2, 2}}).relu();
  Operand e = conv(up(d).concat({c}, 1), "up1", 1);
  Operand f = conv(up(e).concat({a}, 1), "up2", 1);
  return {frame, up(layers.conv2d(f, "mask", {})).sigmoid(),
          layers.conv2d(f, "points", {}).sigmoid(), layers.conv2d(f, "boxes", {})};
}

/// Frames with what is in them.
struct People {
  webnn::safetensors::File file = open("people");
  std::vector<std::uint8_t> frames = values<std::uint8_t>(file, "frames"),
                            counts = values<std::uint8_t>(file, "people"),
                            masks = values<std::uint8_t>(file, "masks");
  std::vector<float> truth = values<float>(file, "truth"),  // frames with one person
      boxes = values<float>(file, "boxes");                 // all people, one after the other

  std::size_t size() const { return counts.size(); }
  std::span<const std::uint8_t> frame(std::size_t i) const {
    return std::span(frames).subspan(i * frame_size * frame_size, frame_size * frame_size);
  }
  /// Whether the pixel is of a person.
  bool person(std::size_t i, std::size_t pixel) const {
    const std::size_t bit = i * frame_size * frame_size + pixel;
    return masks[bit / 8] >> (7 - bit % 8) & 1;
  }
  /// A point of the i-th frame, which has one person.
  Position point(std::size_t i, std::size_t p) const {
    return {truth[(i * points + p) * 2], truth[(i * points + p) * 2 + 1]};
  }
};

/// The most probable position in a map of 32 x 32: between the pixels around the largest value.
inline Position peak(std::span<const float> maps, std::size_t point) {
  const auto map = maps.subspan(point * map_size * map_size, map_size * map_size);
  const auto best = std::max_element(map.begin(), map.end()) - map.begin();
  const int px = static_cast<int>(best) % 32, py = static_cast<int>(best) / 32;
  float sum = 0, x = 0, y = 0;
  for (int i = std::max(0, py - 1); i <= std::min(31, py + 1); ++i)
    for (int j = std::max(0, px - 1); j <= std::min(31, px + 1); ++j) {
      const float w = map[static_cast<std::size_t>(i * 32 + j)];
      sum += w, x += w * (static_cast<float>(j) + 0.5f), y += w * (static_cast<float>(i) + 0.5f);
    }
  return {2 * x / sum, 2 * y / sum};
}

inline float distance(Position a, Position b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

}  // namespace trained
