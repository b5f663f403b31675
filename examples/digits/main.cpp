// Reads handwritten digits that the network has never seen, and shows how well it does.
//
//   webnn_digits [folder with digits.safetensors and test.safetensors]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "draw.h"
#include "network.h"

using namespace webnn;

namespace {

struct Prediction {
  int digit;
  float confidence;
};

std::string caption(Prediction prediction, int truth) {
  char text[32];
  if (prediction.digit == truth)
    std::snprintf(text, sizeof text, "%d, %.1f %%", truth, 100.0 * prediction.confidence);
  else
    std::snprintf(text, sizeof text, "%d, %.1f %%; truth %d", prediction.digit,
                  100.0 * prediction.confidence, truth);
  return text;
}

int run(const std::filesystem::path& folder) {
  const auto weights = safetensors::File::open(folder / "digits.safetensors");
  const auto test = safetensors::File::open(folder / "test.safetensors");
  const auto pixels = test.bytes("pixels"), labels = test.bytes("labels");  // both uint8
  const std::size_t count = labels.size();
  if (count == 0 || pixels.size() != 64 * count) {
    std::fprintf(stderr, "test.safetensors: there are not 64 pixels for each label\n");
    return 2;
  }

  MLContext context;
  const MLGraph graph = digits::build(context, weights);

  std::vector<digits::Image> right, wrong;
  std::size_t mistakes = 0;
  std::vector<double> microseconds;
  for (std::size_t i = 0; i < count; ++i) {
    const auto image = pixels.subspan(64 * i, 64);
    std::array<float, 10> probabilities;
    const auto start = std::chrono::steady_clock::now();
    context.compute(graph, {{"pixels", image}}, {{"probabilities", probabilities}});
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    microseconds.push_back(time.count());

    const auto best = std::max_element(probabilities.begin(), probabilities.end());
    const Prediction prediction{static_cast<int>(best - probabilities.begin()), *best};
    const int truth = std::to_integer<int>(labels[i]);
    mistakes += prediction.digit != truth;
    auto& shown = prediction.digit == truth ? right : wrong;
    if (shown.size() < (prediction.digit == truth ? 4 : 3))
      shown.push_back({image, caption(prediction, truth)});
  }

  digits::draw("Read correctly, with the confidence of the network:", right);
  digits::draw("Misread:", wrong);
  const double accuracy = 1 - static_cast<double>(mistakes) / static_cast<double>(count);
  const auto middle = microseconds.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(microseconds.begin(), middle, microseconds.end());
  std::printf("%zu of %zu images read correctly: %.2f %%\n", count - mistakes, count,
              100 * accuracy);
  std::printf("%.1f us an image (median)\n\n%s\n", *middle, graph.explain().c_str());
  return accuracy < 0.97 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : DIGITS_FOLDER);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
