// What is written in an image? Three networks of PaddleOCR: one finds lines of text, in an image
// of any size; one says which of them are upside down, all at once; one reads a line of any width.
//   text_in_image DETECTOR.onnx CLASSIFIER.onnx RECOGNIZER.onnx CHARACTERS.txt IMAGE.pgm
// The image is read twice, the second time upside down.
#include <webnn/onnx.h>
#include <webnn/webnn.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "image.h"

using namespace webnn;
using jobs::Box;
using jobs::Image;

namespace {

/// A network with one input and one output, whose sizes each run chooses.
struct Network {
  MLContext context;
  std::string input, output;
  MLGraph graph;

  Network(const MLContext& ctx, const char* path) : context(ctx) {
    MLGraphBuilder b(context);
    const onnx::Model model = onnx::import_model(b, path);
    input = model.inputs.at(0).name;
    output = model.outputs.at(0).name;
    graph = b.build(model.outputs);
  }
  /// Images of one size -> the result, and its shape.
  std::vector<float> run(const std::vector<Image>& images, std::array<float, 3> mean,
                         std::array<float, 3> deviation, Dims& result_shape) {
    const Image& first = images.at(0);
    const Dims shape{static_cast<std::uint32_t>(images.size()), 3, first.height, first.width};
    std::vector<float> pixels;
    for (const Image& image : images)
      for (std::size_t c = 3; c-- > 0;)  // blue first, one color after the other
        for (std::size_t i = c; i < image.rgb.size(); i += 3)
          pixels.push_back((static_cast<float>(image.rgb[i]) / 255 - mean[2 - c]) /
                           deviation[2 - c]);
    result_shape = graph.computeShapes({{input, shape}}).at(0).descriptor.shape;
    std::vector<float> result(element_count(result_shape));
    context.compute(graph, {{input, {pixels, shape}}}, {{output, result}});
    return result;
  }
};

/// The lines of text. The network says for each pixel how likely the middle of a line is there;
/// pixels that touch each other are one line, which reaches some pixels further.
std::vector<Box> find_lines(Network& detector, const Image& image) {
  // The network halves an image five times: height and width must be multiples of 32.
  const auto size = [](std::uint32_t pixels) { return (2 * pixels + 31) / 32 * 32; };
  const std::uint32_t width = size(image.width), height = size(image.height);
  Dims shape;
  std::vector<float> map = detector.run({image.part(image.all(), width, height)},
                                        {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}, shape);
  std::vector<Box> lines;
  for (std::uint32_t start = 0; start < map.size(); ++start) {
    if (map[start] < 0.3f) continue;
    std::uint32_t left = width, top = height, right = 0, bottom = 0;
    std::vector<std::uint32_t> todo{start};
    float sum = 0, count = 0;
    for (; !todo.empty(); ++count) {
      const std::uint32_t at = todo.back(), x = at % width, y = at / width;
      todo.pop_back();
      if (map[at] < 0.3f) {  // a neighbor has been here
        --count;
        continue;
      }
      sum += map[at];
      map[at] = 0;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
      if (x > 0) todo.push_back(at - 1);
      if (x + 1 < width) todo.push_back(at + 1);
      if (y > 0) todo.push_back(at - width);
      if (y + 1 < height) todo.push_back(at + width);
    }
    const auto w = static_cast<float>(right - left), h = static_cast<float>(bottom - top);
    if (sum / count < 0.6f || h < 4) continue;
    const float more = 1.6f * w * h / (2 * (w + h)),
                sx = static_cast<float>(image.width) / static_cast<float>(width),
                sy = static_cast<float>(image.height) / static_cast<float>(height);
    lines.push_back({(static_cast<float>(left) - more) * sx, (static_cast<float>(top) - more) * sy,
                     (static_cast<float>(right) + more) * sx,
                     (static_cast<float>(bottom) + more) * sy});
  }
  std::ranges::sort(lines, {}, [](const Box& b) { return b.top + b.bottom; });
  return lines;
}

/// Whether most lines are upside down: a batch with all of them.
bool is_upside_down(Network& classifier, const Image& image, const std::vector<Box>& lines) {
  std::vector<Image> parts;
  for (const Box& line : lines) {  // of each as much as fits into 192 x 48 pixels
    Box part = line;
    part.right = std::min(part.right, part.left + 4 * (part.bottom - part.top));
    parts.push_back(image.part(part, 192, 48));
  }
  Dims shape;
  const auto likely = classifier.run(parts, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}, shape);
  std::size_t turned = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) turned += likely[2 * i + 1] > likely[2 * i];
  return 2 * turned > parts.size();
}

/// The text of a line. The network gives a character, or none, for each eight pixels; the same one
/// several times in a row is one character, unless there is none between them.
std::string read(Network& recognizer, const Image& image, const Box& line,
                 const std::vector<std::string>& characters) {
  const float ratio = (line.right - line.left) / (line.bottom - line.top);
  const auto width = static_cast<std::uint32_t>(std::lround(48 * ratio));
  Dims shape;
  const auto likely = recognizer.run({image.part(line, std::max(width, 16u), 48)},
                                     {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}, shape);
  if (shape.at(2) != characters.size())
    throw std::runtime_error("the file of characters is not that of the recognizer");
  std::string text;
  std::size_t last = 0;
  for (auto at = likely.begin(); at != likely.end(); at += shape[2]) {
    const auto best = static_cast<std::size_t>(std::max_element(at, at + shape[2]) - at);
    if (best != last) text += characters[best];
    last = best;
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 6)
    throw std::runtime_error(
        "arguments: DETECTOR.onnx CLASSIFIER.onnx RECOGNIZER.onnx CHARACTERS.txt IMAGE.pgm");
  MLContext context;
  Network detector(context, argv[1]), classifier(context, argv[2]), recognizer(context, argv[3]);
  std::vector<std::string> characters{""};  // the first one is none, the last one is a space
  std::ifstream file(argv[4]);
  for (std::string line; std::getline(file, line);) characters.push_back(line);
  characters.push_back(" ");

  const Image original = jobs::read_image(argv[5]);
  for (Image image : {original, original.turned()}) {
    std::vector<Box> lines = find_lines(detector, image);
    const bool turned = !lines.empty() && is_upside_down(classifier, image, lines);
    if (turned) {
      image = image.turned();
      lines = find_lines(detector, image);
    }
    std::printf("%zu lines%s\n", lines.size(), turned ? ", upside down" : "");
    for (const Box& line : lines)
      std::printf("  %s\n", read(recognizer, image, line, characters).c_str());
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
