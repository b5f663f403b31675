// When does somebody speak? Silero's network listens to a recording, 32 ms at a time, and the
// times at which speech begins and ends are printed.
//   voice_activity silero_vad.onnx RECORDING.wav
#include <webnn/fluent.h>
#include <webnn/onnx.h>
#include <webnn/state.h>
#include <webnn/webnn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "sound.h"

using namespace webnn;
using fluent::Operand;

namespace {

constexpr std::uint32_t piece = 512, before = 64;  // samples of a run, and those that it sees again

/// 512 samples -> the probability of speech in them. What was before is in two states that the
/// graph keeps: the last samples, and what the network remembers.
MLGraph build(const MLContext& context, const char* path) {
  MLGraphBuilder b(context);
  Operand samples = b.input("samples", {float32, {1, piece}});
  Operand last = b.input("last", {float32, {1, before}});
  // The network has a branch for each sampling rate; the value of its input `sr` chooses one.
  std::vector<std::byte> sampling_rate(sizeof(std::int64_t));
  const std::int64_t hertz = jobs::rate;
  std::memcpy(sampling_rate.data(), &hertz, sizeof hertz);
  const onnx::Model model =
      onnx::import_model(b, path,
                         {.shapes = {{"input", {1, before + piece}}, {"state", {2, 1, 128}}},
                          .constants = {{"sr", {.bytes = sampling_rate, .type = int64}}},
                          .inputs = {{"input", last.concat({samples}, 1)}}});
  Operand next = samples.slice({0, piece - before}, {1, before});
  keepState(b, last, next);
  keepState(b, model.input("state"), model.output("stateN"));
  return b.build(
      {{"speech", model.output("output")}, {"next", next}, {"next state", model.output("stateN")}});
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("arguments: silero_vad.onnx RECORDING.wav");
  MLContext context({.threads = 1});
  const MLGraph graph = build(context, argv[1]);
  const std::vector<float> sound = jobs::read_sound(argv[2]);

  // Speech begins where it is likely, and ends where it has been unlikely for a quarter of a
  // second.
  constexpr std::size_t pause = jobs::rate / 4;
  const auto seconds = [](std::size_t samples) {
    return static_cast<double>(samples) / jobs::rate;
  };
  std::size_t begin = 0, end = 0, pieces = 0;
  bool speaking = false;
  std::array<float, 1> speech;
  for (std::size_t at = 0; at < sound.size(); at += piece) {
    std::array<float, piece> samples{};  // the last piece ends with silence
    std::copy_n(sound.begin() + static_cast<std::ptrdiff_t>(at),
                std::min<std::size_t>(piece, sound.size() - at), samples.begin());
    context.compute(graph, {{"samples", samples}}, {{"speech", speech}});
    if (speech[0] >= 0.5f && !speaking) {
      speaking = true;
      begin = at;
    }
    if (speech[0] >= 0.35f) end = std::min(at + piece, sound.size());
    if (speaking && (at + piece >= end + pause || at + piece >= sound.size())) {
      std::printf("speech from %.2f s to %.2f s\n", seconds(begin), seconds(end));
      speaking = false;
      ++pieces;
    }
  }
  std::printf("%zu times within %.2f s\n", pieces, seconds(sound.size()));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
