// Skeleton detection: where are head, shoulders, elbows and wrists? Who raises a hand may speak.
#include <utility>

#include "people.h"

using namespace webnn;
using namespace trained;

int main() {
  const People people;
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"maps", people_network(b, people.file).maps}});

  constexpr std::pair<Point, Point> bones[] = {{left_wrist, left_elbow},
                                               {left_elbow, left_shoulder},
                                               {left_shoulder, right_shoulder},
                                               {right_shoulder, right_elbow},
                                               {right_elbow, right_wrist}};
  const auto raised = [](const auto& at) {  // the wrist is above the shoulder
    return at(left_wrist)[1] < at(left_shoulder)[1] || at(right_wrist)[1] < at(right_shoulder)[1];
  };
  std::vector<float> maps(points * map_size * map_size);
  std::vector<Picture> pictures;
  bool shown[2] = {};
  std::size_t near = 0, all = 0, gestures = 0, frames = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (people.counts[i] != 1) continue;
    context.compute(graph, {{"frame", people.frame(i)}}, {{"maps", maps}});
    const auto found = [&](Point p) { return peak(maps, p); };
    const auto truth = [&](Point p) { return people.point(i, p); };
    for (int p = head; p <= right_wrist; ++p) {
      const Position at = truth(static_cast<Point>(p));
      if (at[0] < 0 || at[0] > 64 || at[1] < 0 || at[1] > 64) continue;  // not in the frame
      near += distance(at, found(static_cast<Point>(p))) < 4;
      ++all;
    }
    gestures += raised(found) == raised(truth);
    ++frames;
    if (std::exchange(shown[raised(found)], true)) continue;  // the first of each
    pictures.emplace_back(people.frame(i));
    for (const auto& [from, to] : bones) pictures.back().line(found(from), found(to), 'o');
    pictures.back().set(found(head), 'X');
    std::printf("%-66s", raised(found) ? "hand raised: microphone on" : "microphone off");
  }
  std::putchar('\n');
  show(pictures);
  std::printf("%zu of %zu joints within 4 pixels; raised hands told right in %zu of %zu frames\n",
              near, all, gestures, frames);
  return near * 100 < all * 80 || gestures * 100 < frames * 80;
}
