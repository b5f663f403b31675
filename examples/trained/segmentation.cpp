// Semantic segmentation: which pixels are of a person? All others are replaced with another
// picture, in the same graph.
#include "people.h"

using namespace webnn;
using namespace trained;

int main() {
  const People people;
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto net = people_network(b, people.file);
  Operand beach = b.input("beach", {uint8, {1, 1, frame_size, frame_size}});
  Operand in_front = net.mask > 0.5f;
  const MLGraph graph =
      b.build({{"mask", in_front}, {"result", b.where(in_front, net.frame, beach)}});

  std::vector<std::uint8_t> background(64 * 64), mask(64 * 64), result(64 * 64);
  for (std::size_t i = 0; i < background.size(); ++i) {  // sky, sun, sea
    const double x = static_cast<double>(i % 64) - 52, y = static_cast<double>(i / 64);
    const bool sun = x * x + (y - 9) * (y - 9)<30, wave = std::sin(x / 2 + y * y / 40)> 0.6;
    background[i] = sun ? 255 : y < 36 ? 40 : wave ? 140 : 90;
  }
  std::size_t common = 0, either = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    context.compute(graph, {{"frame", people.frame(i)}, {"beach", background}},
                    {{"mask", mask}, {"result", result}});
    for (std::size_t p = 0; p < mask.size(); ++p) {
      common += mask[p] && people.person(i, p);
      either += mask[p] || people.person(i, p);
    }
    if (i == 1 || i == 3) show({Picture(people.frame(i)), Picture(result)});
  }
  const double overlap = static_cast<double>(common) / static_cast<double>(either);
  std::printf(
      "background replaced in %zu frames; the masks cover the same as the true ones by %.1f %%"
      " (intersection over union)\n",
      people.size(), 100 * overlap);
  return overlap < 0.8;
}
