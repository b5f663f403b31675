// Where boxes and lines of a drawing go: layers from top to bottom, after Sugiyama, Tagawa and Toda
// (1981): layers by longest path, order by barycenters, places by least squares.
#pragma once

#include <cstddef>
#include <vector>

namespace webnn::inline v0_1::tool {

struct Point {
  double x, y;
};
struct Box {
  double width, height;
  double x = 0, y = 0;  ///< its upper left corner: what layout() sets
};
struct Line {
  std::size_t from, to;         ///< boxes; from < to
  std::vector<Point> points{};  ///< from the lower edge of one to the upper edge of the other
};
struct Drawing {
  std::vector<Box> boxes{};
  std::vector<Line> lines{};
  double width = 0, height = 0;
};

/// Boxes in an order in which every line goes from an earlier to a later one.
Drawing layout(std::vector<Box> boxes, std::vector<Line> lines);

}  // namespace webnn::inline v0_1::tool
