// Which objects are in a photograph, and where? A network looks at 1917 places; what it says there
// becomes boxes, and non-maximum suppression keeps one box for each object. All of that is one
// graph.
//   objects objectron_solution_packed_assets.data PHOTOGRAPH.ppm...
// The file of the npm package @mediapipe/objectron has the names of the classes, one in a line, and
// a .tflite file behind them.
#include <webnn/fluent.h>
#include <webnn/tflite.h>
#include <webnn/webnn.h>

#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <sstream>

#include "image.h"

using namespace webnn;
using fluent::Operand;

namespace {

constexpr std::uint32_t size = 300, place_count = 1917, class_count = 24;
constexpr std::uint32_t most_of_a_class = 10, most = most_of_a_class * (class_count - 1);

/// [1917, 4]: the places, as boxes with a center and a size, from 0 to 1, y before x. There are six
/// grids, the finest first, with boxes of three shapes in the first one and of six in the others.
std::vector<float> places() {
  std::vector<float> all;
  const auto scale = [](int grid) {
    return grid < 6 ? 0.2f + 0.15f * static_cast<float>(grid) : 1;
  };
  int grid = 0;
  for (const int cells : {19, 10, 5, 3, 2, 1}) {
    std::vector<std::array<float, 2>> shapes;  // the root of the area, and width by height
    if (grid == 0) shapes = {{0.1f, 1}, {scale(0), 2}, {scale(0), 0.5f}};
    else {
      for (const float ratio : {1.f, 2.f, 0.5f, 3.f, 1 / 3.f})
        shapes.push_back({scale(grid), ratio});
      shapes.push_back({std::sqrt(scale(grid) * scale(grid + 1)), 1});
    }
    for (int i = 0; i < cells * cells; ++i)
      for (const auto& [length, ratio] : shapes) {
        const auto center = [&](int cell) {
          return (static_cast<float>(cell) + 0.5f) / static_cast<float>(cells);
        };
        all.insert(all.end(), {center(i / cells), center(i % cells), length / std::sqrt(ratio),
                               length * std::sqrt(ratio)});
      }
    ++grid;
  }
  return all;
}

/// The objects that a run found: `count` rows of a box (top, left, bottom, right, from 0 to 1), a
/// class and how likely it is; behind them is nothing of meaning.
struct Objects {
  std::vector<float> boxes = std::vector<float>(most * 4), scores = std::vector<float>(most);
  std::vector<std::int64_t> classes = std::vector<std::int64_t>(most);
  std::array<std::int64_t, 1> count{};
};

MLGraph build(const MLContext& context, std::shared_ptr<const std::string> file,
              std::size_t begin) {
  MLGraphBuilder b(context);
  Operand photograph = b.input("photograph", {uint8, {1, size, size, 3}});
  const tflite::Model model = tflite::import_model(
      b, file, std::as_bytes(std::span(*file).subspan(begin)),
      {.inputs = {{"normalized_input_image_tensor", photograph.cast(float32) / 127.5f - 1.f}}});

  // The network says how far an object is from the center of its place, and by what the box is
  // larger or smaller.
  Operand place = b.constant({float32, {place_count, 4}}, places());
  Operand centers = place.slice({0, 0}, {place_count, 2});
  Operand sizes = place.slice({0, 2}, {place_count, 2});
  Operand offsets = Operand(model.output("raw_outputs/box_encodings")).reshape({place_count, 4});
  centers = centers + offsets.slice({0, 0}, {place_count, 2}) * sizes / 10.f;
  sizes = sizes * (offsets.slice({0, 2}, {place_count, 2}) / 5.f).exp();
  Operand boxes = (centers - sizes / 2.f).concat({centers + sizes / 2.f}, 1);
  // How likely each class is, without the first one, which is none.
  Operand likely = Operand(model.output("raw_outputs/class_predictions"))
                       .sigmoid()
                       .reshape({place_count, class_count})
                       .slice({0, 1}, {place_count, class_count - 1})
                       .transpose();

  // The rows of the first result are batch, class and place of an object.
  const auto kept = b.custom(
      "webnn.NonMaxSuppression",
      {boxes.reshape({1, place_count, 4}), likely.reshape({1, class_count - 1, place_count}),
       b.constant(float32, 0.5), b.constant(float32, 0.4)},
      {.attributes = {{"maxPerClass", most_of_a_class}}, .label = "suppression"});
  Operand objects = kept[0];
  return b.build({{"boxes", boxes.gather(objects.slice({0, 2}, {most, 1}).reshape({most}))},
                  {"scores", likely.gatherND(objects.slice({0, 1}, {most, 2}))},
                  {"classes", objects.slice({0, 1}, {most, 1})},
                  {"count", kept[1]}});
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3)
    throw std::runtime_error("arguments: objectron_solution_packed_assets.data PHOTOGRAPH.ppm...");
  std::ifstream stream(argv[1], std::ios::binary);
  const auto file = std::make_shared<const std::string>(std::istreambuf_iterator<char>(stream),
                                                        std::istreambuf_iterator<char>());
  const std::size_t mark = file->find("TFL3");  // the fifth byte of a .tflite file
  if (mark == file->npos || mark < 4) throw std::runtime_error("there is no .tflite file in it");
  std::vector<std::string> names;
  std::istringstream lines(file->substr(0, mark - 4));
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  if (names.size() < class_count) throw std::runtime_error("names of classes are missing");

  MLContext context;
  const MLGraph graph = build(context, file, mark - 4);
  for (const char* path : std::span(argv, static_cast<std::size_t>(argc)).subspan(2)) {
    const jobs::Image image = jobs::read_image(path);
    Objects found;
    context.compute(graph, {{"photograph", image.part(image.all(), size, size).rgb}},
                    {{"boxes", found.boxes},
                     {"scores", found.scores},
                     {"classes", found.classes},
                     {"count", found.count}});
    std::printf("%u x %u pixels, objects: %d\n", image.width, image.height,
                static_cast<int>(found.count[0]));
    for (std::size_t i = 0; i < static_cast<std::size_t>(found.count[0]); ++i) {
      const float *box = &found.boxes[4 * i], w = static_cast<float>(image.width),
                  h = static_cast<float>(image.height);
      std::printf("  %s, %.0f %%: from (%.0f, %.0f) to (%.0f, %.0f)\n",
                  names[static_cast<std::size_t>(found.classes[i]) + 1].c_str(),
                  100 * found.scores[i], box[1] * w, box[0] * h, box[3] * w, box[2] * h);
    }
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
