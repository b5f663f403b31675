// Person detection: how many people are in front of the camera, and where? A head is a peak in its
// map, and at the peak other maps say how far the person reaches.
#include "people.h"

using namespace webnn;
using namespace trained;

namespace {

struct Box {
  Position from, to;
};

/// A box for each value above one half that is the largest within nine by nine.
std::vector<Box> detect(std::span<const float> heads, std::span<const float> sides) {
  std::vector<Box> found;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      const auto at = static_cast<std::size_t>(y * 32 + x);
      bool largest = heads[at] > 0.5f;
      for (int i = std::max(0, y - 4); i <= std::min(31, y + 4); ++i)
        for (int j = std::max(0, x - 4); j <= std::min(31, x + 4); ++j)
          largest &= heads[at] >= heads[static_cast<std::size_t>(i * 32 + j)];
      const auto side = [&](std::size_t s) { return 32 * sides[s * 32 * 32 + at]; };
      const float cx = 2 * static_cast<float>(x) + 1, cy = 2 * static_cast<float>(y) + 1;
      if (largest) found.push_back({{cx - side(0), cy - side(1)}, {cx + side(2), cy + side(3)}});
    }
  return found;
}

float area(const Box& b) {
  return std::max(0.f, b.to[0] - b.from[0]) * std::max(0.f, b.to[1] - b.from[1]);
}

/// Intersection over union.
float overlap(const Box& a, const Box& b) {
  const float both = area({{std::max(a.from[0], b.from[0]), std::max(a.from[1], b.from[1])},
                           {std::min(a.to[0], b.to[0]), std::min(a.to[1], b.to[1])}});
  return both / (area(a) + area(b) - both);
}

void draw(Picture& picture, const Box& box) {
  const float left = std::max(0.f, box.from[0]), top = std::max(0.f, box.from[1]),
              right = std::min(63.f, box.to[0]), bottom = std::min(63.f, box.to[1]);
  picture.line({left, top}, {right, top}, '_');
  picture.line({left, bottom}, {right, bottom}, '_');
  picture.line({left, top + 2}, {left, bottom}, '[');
  picture.line({right, top + 2}, {right, bottom}, ']');
}

}  // namespace

int main() {
  const People people;
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto net = people_network(b, people.file);
  Operand heads = net.maps.slice({0, head, 0, 0}, {1, 1, map_size, map_size});
  const MLGraph graph = b.build({{"heads", heads}, {"boxes", net.boxes}});

  std::vector<float> map(32 * 32), sides(4 * 32 * 32);
  std::vector<Picture> pictures;
  std::size_t hits = 0, detections = 0, all = 0;
  for (std::size_t i = 0; i < people.size(); all += people.counts[i++]) {
    context.compute(graph, {{"frame", people.frame(i)}}, {{"heads", map}, {"boxes", sides}});
    const auto found = detect(map, sides);
    detections += found.size();
    for (std::size_t p = all; p < all + people.counts[i]; ++p) {
      const float* t = &people.boxes[4 * p];
      hits += std::any_of(found.begin(), found.end(), [&](const Box& box) {
        return overlap(box, {{t[0], t[1]}, {t[2], t[3]}}) > 0.5f;
      });
    }
    if (i != 5 && i + 1 != people.size()) continue;
    pictures.emplace_back(people.frame(i));
    for (const Box& box : found) draw(pictures.back(), box);
  }
  show(pictures);
  std::printf("%zu of %zu people are found; of %zu boxes %zu overlap with one by half or more\n",
              hits, all, detections, hits);
  return hits * 100 < all * 85 || hits * 100 < detections * 85;
}
