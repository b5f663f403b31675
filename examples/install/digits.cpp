// Which digit is it? A network in an .onnx file reads a drawing of 8 x 8 pixels.
//   digits MODEL.onnx
#include <webnn/onnx.h>
#include <webnn/webnn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

using namespace webnn;

namespace {

/// From paper to ink.
constexpr std::string_view shades = " .:-=+*#%@";
constexpr std::array<std::string_view, 8> drawing = {
    "  -%+   ",  //
    "  %@*@- ",  //
    " .@: #= ",  //
    " =*  == ",  //
    " -=  =* ",  //
    " =*  *= ",  //
    " :%-+*  ",  //
    "  -%+   ",
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("argument: MODEL.onnx");
  MLContext context;
  MLGraphBuilder b(context);
  // The weights stay in the mapped file.
  const onnx::Model model = onnx::import_model(b, argv[1]);
  const auto& [input, x] = model.inputs.at(0);    // "pixels" uint8 [1, 1, 8, 8], 0 to 16
  const auto& [output, y] = model.outputs.at(0);  // "probabilities" float32 [1, 10]
  const MLGraph graph = b.build({{output, y}});

  std::array<std::uint8_t, 64> pixels;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(shades.find(drawing[i / 8][i % 8]) * 16 / 9);
  std::array<float, 10> probabilities;
  context.compute(graph, {{input, pixels}}, {{output, probabilities}});

  const auto best = std::max_element(probabilities.begin(), probabilities.end());
  std::printf("a %d with %.1f %%\n", static_cast<int>(best - probabilities.begin()), 100 * *best);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
