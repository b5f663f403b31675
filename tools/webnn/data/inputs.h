// The inputs of a run: files, images, and random numbers for the others.
#pragma once

#include "tools/images/image.h"
#include "tools/webnn/model/model.h"

namespace webnn::inline v0_1::tool {

struct InputOptions {
  std::vector<std::string> inputs{};  ///< "NAME=FILE", or "FILE" where there is one input
  std::string image{};
  std::string resize = "stretch", layout{};
  std::vector<float> mean{}, std{};
  std::optional<float> scale{};
  bool bgr = false;
  std::uint64_t seed = 1;

  void add_to(CLI::App& app);
  void add_images_to(CLI::App& app);  ///< how images are read, alone
};

struct Feed {
  std::string name{};
  MLOperandDescriptor descriptor{};
  std::vector<std::byte> bytes{};
  std::string from{};  ///< "cat.bmp, 512x341", "random, seed 1"
};
using Feeds = std::vector<Feed>;

/// The shapes of the .npy files, from which sizes of open dimensions follow, and the values of
/// those with names that have at most 65,536 elements, from which shapes may follow.
GivenInputs given_by(const InputOptions& options);

/// The index of the input that an argument names, or of the only input. Throws Usage.
std::size_t place_of(const std::string& name, const std::string& argument, const Model& model);
/// An input from a .npy file, an image, or the bytes of another file. Throws CommandError.
Feed read_feed(const std::filesystem::path& path, const NamedDescriptor& input,
               const std::optional<Quantization>& quantization, const InputOptions& options);

/// One for each input of the model, in its order. What became a constant is left out. Throws Usage
/// for names that there are not, CommandError for files that are broken or do not fit.
Feeds make_feeds(const InputOptions& options, const Model& model);

/// Floats: from -1 to 1. Integers of 8 and 4 bits: all values. Others: 0 to 7, which
/// most tables can be looked up with. They are the same for a seed and a place everywhere.
std::vector<std::byte> random_bytes(const MLOperandDescriptor& d, std::uint64_t seed,
                                    std::size_t place);

}  // namespace webnn::inline v0_1::tool
