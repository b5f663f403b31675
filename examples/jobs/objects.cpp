// Which objects are in a photograph, and where? A network looks at 1917 places; what it says
// becomes boxes, and non-maximum suppression leaves one box for each object. All of that is in the
// graph.
//   objects objectron_solution_packed_assets.data PHOTOGRAPH.ppm
// The first file is that of the npm package @mediapipe/objectron: names of classes, one in a line,
// and behind them a .tflite file.
#include <webnn/fluent.h>
#include <webnn/tflite.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <iterator>
#include <sstream>

#include "image.h"

using namespace webnn;
using fluent::Operand;

namespace {

constexpr std::uint32_t size = 300, boxes_at_most = 10;

/// [1, 1917, 4]: the places at which the network looks, as the center and the size of a box, from 0
/// to 1. There are six grids, the finest first; the boxes of a grid have five shapes and an extra
/// size, and those of the finest one have three shapes.
std::vector<float> places() {
  std::vector<float> all;
  const auto scale = [](int grid) {
    return grid < 6 ? 0.2f + 0.75f * static_cast<float>(grid) / 5 : 1.f;
  };
  for (int grid = 0; grid < 6; ++grid) {
    const std::uint32_t cells = std::array{19, 10, 5, 3, 2, 1}[static_cast<std::size_t>(grid)];
    std::vector<std::pair<float, float>> shapes;  // size, width : height
    if (grid == 0) shapes = {{0.1f, 1.f}, {scale(0), 2.f}, {scale(0), 0.5f}};
    else {
      for (const float ratio : {1.f, 2.f, 0.5f, 3.f, 1 / 3.f})
        shapes.emplace_back(scale(grid), ratio);
      shapes.emplace_back(std::sqrt(scale(grid) * scale(grid + 1)), 1.f);
    }
    for (std::uint32_t y = 0; y < cells; ++y)
      for (std::uint32_t x = 0; x < cells; ++x)
        for (const auto& [length, ratio] : shapes)
          for (const float number : {(static_cast<float>(y) + 0.5f) / static_cast<float>(cells),
                                     (static_cast<float>(x) + 0.5f) / static_cast<float>(cells),
                                     length / std::sqrt(ratio), length * std::sqrt(ratio)})
            all.push_back(number);
  }
  return all;
}

}  // namespace
