// Small .tflite files, made with the exporter.
#pragma once

#include <cstdint>

#include "tests/tools/command.h"

namespace webnn::inline v0_1::test {

/// pixels float32 [1, 4, 4, 3] -> convolution, relu, mean, matmul -> softmax "probabilities"
/// float32 [1, 3]. The three classes are the three colors.
std::vector<std::byte> colors_bytes();
std::string colors_model(const Folder& folder, const std::string& name = "colors.tflite");
/// That model with uint8 in and out, which hold the pixels and probabilities of steps of 1/256.
std::string quantized_colors_model(const Folder& folder);
/// Two inputs "a" and "b" float32 [2, 3]; outputs "sum" and "product".
std::string two_inputs_model(const Folder& folder);
/// The first model with another weight in the middle.
std::string other_colors_model(const Folder& folder);

/// "x" float32 [1, 64] times weights that are large enough to be quantized -> "y" float32 [1, 96].
std::string product_model(const Folder& folder);

/// "x" float32 of the shape, times 2: "y".
std::string doubling_model(const Folder& folder, const std::string& name,
                           const std::vector<std::uint32_t>& shape);

/// "x" float32 of the shape through so many functions that no pass joins: "y".
std::vector<std::byte> chain_bytes(const std::vector<std::uint32_t>& shape, int length);
std::string chain_model(const Folder& folder, const std::vector<std::uint32_t>& shape, int length);

/// The input and the output have names that would end a script, a string and an element.
std::string hostile_names_model(const Folder& folder);

/// An uncompressed BMP of one color.
std::string bmp(const Folder& folder, const std::string& name, int width, int height, int red,
                int green, int blue);

}  // namespace webnn::inline v0_1::test
