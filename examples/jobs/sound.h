// Sound of the examples: .wav files of 16-bit samples.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobs {

constexpr std::uint32_t rate = 16000;  ///< samples of a second, as the models of the examples have

/// Reads the first channel, from -1 to 1. A file with a multiple of the rate loses samples, and
/// with them the tones above 8 kHz: each sample is the mean of those in its place.
inline std::vector<float> read_sound(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::uint32_t{static_cast<std::uint8_t>(bytes.at(at + i))} << 8 * i;
    return value;
  };
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    throw std::runtime_error(path + ": there is no .wav file");
  std::uint32_t channels = 0, step = 0;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::string name = bytes.substr(at, 4);
    const std::size_t size = number(at + 4, 4), begin = at + 8;
    if (name == "fmt ") {
      channels = number(begin + 2, 2);
      step = number(begin + 4, 4) / rate;
      if (number(begin, 2) != 1 || number(begin + 14, 2) != 16 || channels == 0 || step == 0 ||
          number(begin + 4, 4) % rate != 0)
        throw std::runtime_error(path +
                                 ": the samples do not have 16 bits and 16 kHz or a multiple");
    } else if (name == "data" && step != 0) {
      std::vector<float> sound;
      const std::size_t end = std::min(bytes.size(), begin + size), frame = 2 * channels;
      for (std::size_t i = begin; i + step * frame <= end; i += step * frame) {
        float sum = 0;
        for (std::size_t k = 0; k < step; ++k)
          sum += static_cast<std::int16_t>(number(i + k * frame, 2));
        sound.push_back(sum / static_cast<float>(step) / 32768);
      }
      return sound;
    }
    at = begin + size + size % 2;
  }
  throw std::runtime_error(path + ": the samples are missing");
}

}  // namespace jobs
