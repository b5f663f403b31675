// Facial landmark detection: where are eyes, nose and mouth? The program puts glasses on.
#include "people.h"

using namespace webnn;
using namespace trained;

int main() {
  const People people;
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto net = people_network(b, people.file);
  constexpr std::uint32_t count = points - left_eye;
  Operand face = net.maps.slice({0, left_eye, 0, 0}, {1, count, map_size, map_size});
  const MLGraph graph = b.build({{"face", face}});

  std::vector<float> maps(count * map_size * map_size);
  std::vector<Picture> pictures;
  double error = 0, eyes = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (people.counts[i] != 1) continue;
    context.compute(graph, {{"frame", people.frame(i)}}, {{"face", maps}});
    for (std::size_t p = 0; p < count; ++p)
      error += distance(peak(maps, p), people.point(i, left_eye + p)) / count;
    eyes += distance(people.point(i, left_eye), people.point(i, right_eye));
    if (i != 4 && i != 11) continue;
    pictures.emplace_back(people.frame(i));
    const Position left = peak(maps, 0), right = peak(maps, 1);
    for (const Position& eye : {left, right})
      for (float angle = 0; angle < 6.3f; angle += 0.1f)
        pictures.back().set({eye[0] + 3 * std::cos(angle), eye[1] + 3 * std::sin(angle)}, '0');
    pictures.back().line({left[0] + 2, left[1]}, {right[0] - 2, right[1]}, '=');
    pictures.back().set(peak(maps, nose - left_eye), 'v');
    pictures.back().line(peak(maps, left_mouth - left_eye), peak(maps, right_mouth - left_eye),
                         '~');
  }
  show(pictures);
  std::printf("glasses fit: landmarks are off by %.1f %% of the distance of the eyes (mean)\n",
              100 * error / eyes);
  return error / eyes > 0.2;
}
