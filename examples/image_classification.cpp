// What is in the image? A quantized .tflite model names it.
//   image_classification MODEL.tflite IMAGE.bmp LABELS.txt
#include <webnn/tflite.h>
#include <webnn/webnn.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace webnn;

namespace {

/// An uncompressed image of 24 bits a pixel, as RGB of the size that the model takes.
std::vector<std::uint8_t> read_bmp(const char* path, std::uint32_t width, std::uint32_t height) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> f(std::istreambuf_iterator<char>(file), {});
  const auto number = [&](std::size_t at) {
    return std::size_t{f.at(at)} | f.at(at + 1) << 8 | f.at(at + 2) << 16;
  };
  if (f.size() < 54 || f[0] != 'B' || f[28] != 24) throw std::runtime_error("no BMP of 24 bits");
  const std::size_t pixels = number(10), w = number(18), h = number(22), row = (3 * w + 3) / 4 * 4;
  std::vector<std::uint8_t> rgb;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 3; c-- > 0;)  // rows from the bottom, blue first
        rgb.push_back(f.at(pixels + (h - 1 - y * h / height) * row + x * w / width * 3 + c));
  return rgb;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("arguments: MODEL.tflite IMAGE.bmp LABELS.txt");
  MLContext context;
  MLGraphBuilder b(context);
  const tflite::Model model = tflite::import_model(b, argv[1], {.unknown_dimension = 1});
  const auto& [input, x] = model.inputs.at(0);  // uint8 [1, height, width, 3]
  const auto& [output, y] = model.outputs.at(0);
  const MLGraph graph = b.build({{output, y}});

  const auto image = read_bmp(argv[2], x.shape().at(2), x.shape().at(1));
  std::vector<std::uint8_t> scores(element_count(y.shape()));
  context.compute(graph, {{input, image}}, {{output, scores}});

  const auto best = std::max_element(scores.begin(), scores.end());
  std::ifstream labels(argv[3]);
  std::string label;
  for (auto i = best - scores.begin(); i >= 0; --i) std::getline(labels, label);
  const auto q = model.output_quantization.at(0).value_or(tflite::Quantization{});
  std::printf("%s, %.0f %%\n", label.c_str(), 100 * q.scale * float(*best - q.zero_point));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
