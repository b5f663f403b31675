// Face recognition: who was at the meeting of yesterday too? The network turns an image of a face
// into a direction; two images of one face have nearly the same. One image of each person is
// enough to recognize others, of another pose, expression and light. Who is not near anybody is
// unknown.
#include <algorithm>
#include <iterator>
#include <sstream>

#include "picture.h"
#include "weights.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t size = 32, channels = 40, known = 12, of_each = 4;
constexpr std::size_t bytes = size * size / 2;  // an image: 4 bits a pixel
using Packed = std::span<const std::uint8_t>;

/// The direction of an image: [1, channels].
Operand direction(MLGraphBuilder& b, const safetensors::File& file) {
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const std::string& name, std::uint32_t padding) {
    const Dims around(4, padding);
    return layers.conv2d(x, name, {.padding = around, .strides = {2, 2}}).relu();
  };
  Operand image = b.input("image", {uint4, {1, 1, size, size}});
  Operand x = conv(layers.pixels(image) - 0.5f, "conv1", 2);
  x = conv(conv(x, "conv2", 1), "conv3", 1).reshape({1, channels * 16});
  x = layers.linear(x, "direction");
  return x / x.reduceL2({.axes = Dims{1}, .keepDimensions = true});
}

struct Recognizer {
  MLContext context{{.threads = 1}};
  MLGraph enroll, compare;
  std::vector<float> enrolled, cosines;

  Recognizer(const safetensors::File& file, Packed gallery) : cosines(known) {
    MLGraphBuilder b(context), c(context);
    enroll = b.build({{"direction", direction(b, file)}});
    for (std::size_t i = 0; i < known; ++i) {
      std::vector<float> found(channels);
      context.compute(enroll, {{"image", gallery.subspan(i * bytes, bytes)}},
                      {{"direction", found}});
      enrolled.insert(enrolled.end(), found.begin(), found.end());
    }
    Operand all = c.constant({float32, {known, channels}}, enrolled);
    compare = c.build({{"cosines", direction(c, file).gemm(all, {.bTranspose = true})}});
  }
  /// The number of the nearest enrolled face, and the cosine of the angle between the two.
  std::pair<std::size_t, float> operator()(Packed image) {
    context.compute(compare, {{"image", image}}, {{"cosines", cosines}});
    const auto best = std::max_element(cosines.begin(), cosines.end());
    return {best - cosines.begin(), *best};
  }
};

}  // namespace

int main() {
  const auto file = open("face_recognition");
  const auto gallery = values<std::uint8_t>(file, "gallery"),
             probes = values<std::uint8_t>(file, "probes");
  const float threshold = values<float>(file, "threshold")[0];
  std::istringstream list(file.metadata().at("names"));
  const std::vector<std::string> names{std::istream_iterator<std::string>(list), {}};
  Recognizer recognize(file, gallery);

  std::size_t right[2] = {};  // strangers, known people
  const std::size_t count = probes.size() / bytes, people = known * of_each;
  std::vector<Picture> pictures, before;
  std::string captions;
  for (std::size_t i = 0; i < count; ++i) {
    const Packed image = std::span(probes).subspan(i * bytes, bytes);
    const auto [who, cosine] = recognize(image);
    const std::string name = cosine > threshold ? names[who] : "unknown";
    right[i < people] += name == (i < people ? names[i / of_each] : "unknown");
    if (i % 17 != 1 || pictures.size() == 4) continue;
    pictures.emplace_back(unpacked(image), size);
    before.emplace_back(unpacked(std::span(gallery).subspan(who * bytes, bytes)), size);
    char text[64];
    std::snprintf(text, sizeof text, "%s, cosine with %s %.2f", name.c_str(), names[who].c_str(),
                  static_cast<double>(cosine));
    captions += text + std::string(34 - std::strlen(text), ' ');
  }
  std::puts("Today:");
  show(pictures);
  std::printf("%s\n\nThe nearest of yesterday:\n", captions.c_str());
  show(before);
  std::printf("%zu of %zu faces recognized from one image, %zu of %zu strangers unknown\n",
              right[1], people, right[0], count - people);
  return right[1] * 100 < people * 85 || right[0] * 100 < (count - people) * 85;
}
