// Real-time video: while one frame is computed, the camera fills the next. A network finds the
// person (here: what is bright) and the background is blurred, in one graph. Frames that come while
// all buffers are busy are dropped, so that the delay does not grow.
#include <webnn/fluent.h>
#include <webnn/webnn.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <future>

using namespace webnn;

namespace {

constexpr std::uint32_t height = 16, width = 48;
using Frame = std::array<float, height * width>;

/// Gray pixels from 0 to 1. The mask is the probability of a pixel to be of the person; a trained
/// network of segmentation would take the place of its three lines.
MLGraph background_blur(const MLContext& context) {
  MLGraphBuilder b(context);
  fluent::Operand frame = b.input("frame", {float32, {1, 1, height, width}});
  const MLPool2dOptions window{.windowDimensions = Dims{3, 3}, .padding = {1, 1, 1, 1}};
  fluent::Operand local = frame.averagePool2d(window);
  fluent::Operand mask = ((local - 0.5f) * 20.f).sigmoid();

  const MLPool2dOptions wide{.windowDimensions = Dims{7, 7}, .padding = {3, 3, 3, 3}};
  fluent::Operand blurred = frame.averagePool2d(wide).averagePool2d(wide);
  return b.build({{"result", frame * mask + blurred * (1.f - mask)}});
}

/// A bright person that walks through a striped room.
void film(int time, Frame& frame) {
  for (int y = 0; y < static_cast<int>(height); ++y)
    for (int x = 0; x < static_cast<int>(width); ++x) {
      const float dx = static_cast<float>(x - 8 - 2 * time) / 5, dy = static_cast<float>(y - 8) / 6;
      const bool person = dx * dx + dy * dy < 1;
      frame[y * width + x] = person ? 1.f : (x % 4 < 2 ? 0.4f : 0.f);
    }
}

void draw(const Frame& frame) {
  constexpr char shades[] = " .:-=+*#%@";
  for (std::size_t y = 0; y < height; y += 2) {
    for (std::size_t x = 0; x < width; ++x)
      std::putchar(shades[static_cast<int>(std::clamp(frame[y * width + x], 0.f, 1.f) * 9)]);
    std::putchar('\n');
  }
}

}  // namespace

int main() {
  MLContext context;
  const MLGraph graph = background_blur(context);
  struct Buffer {
    Frame in{}, out{};
    std::future<void> done{};
  };
  std::array<Buffer, 2> buffers;  // one is computed, one is filled
  constexpr int frames = 12;
  const auto start = std::chrono::steady_clock::now();
  for (int time = 0; time < frames; ++time) {
    Buffer& b = buffers[static_cast<std::size_t>(time) % buffers.size()];
    if (b.done.valid()) b.done.get();  // a camera would drop the frame instead of waiting
    film(time, b.in);
    b.done = context.compute_async(graph, {{"frame", b.in}}, {{"result", b.out}});
  }
  for (Buffer& b : buffers) b.done.get();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  draw(buffers[(frames - 1) % buffers.size()].out);
  std::printf("%d frames, %s 30 a second\n", frames,
              frames / took.count() > 30 ? "more than" : "less than");
}
