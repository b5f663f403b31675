#include "tools/webnn/data/inputs.h"

#include <fmt/format.h>

#include <random>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/data/feeds_from.h"
#include "tools/webnn/data/npy.h"
#include "tools/webnn/data/values.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::tool {
namespace {

std::string names_of_inputs(const Model& m) {
  std::string s;
  for (const auto& [name, d] : m.compiled.inputs()) s += (s.empty() ? "" : ", ") + in_quotes(name);
  return s.empty() ? "no inputs" : s;
}

}  // namespace

std::size_t place_of(const std::string& name, const std::string& argument, const Model& m) {
  const auto& inputs = m.compiled.inputs();
  if (name.empty() && inputs.size() == 1) return 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == name) return i;
  if (name.empty())
    throw Usage(argument + ": say for which input, as in NAME=FILE; the model has " +
                names_of_inputs(m));
  throw Usage(argument + ": there is no input of that name; the model has " + names_of_inputs(m));
}

namespace {

std::size_t image_place(const Model& m) {
  const auto& inputs = m.compiled.inputs();
  // Two dimensions may be anything, so that only the only input can be meant.
  for (std::size_t rank : {4u, 3u, 2u}) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].descriptor.shape.size() != rank || (rank == 2 && inputs.size() > 1)) continue;
      if (found) throw Usage("--image: more than one input can be an image; use --input NAME=FILE");
      found = i;
    }
    if (found) return *found;
  }
  throw CommandError("--image: no input of the model has the dimensions of an image");
}

}  // namespace

Feed read_feed(const std::filesystem::path& path, const NamedDescriptor& input,
               const std::optional<Quantization>& q, const InputOptions& o) {
  const auto& [name, d] = input;
  Feed f{name, d, {}, {}};
  try {
    if (images::is_image(path)) f.bytes = from_image(path, d, q, o, f.from);
    else if (extension_of(path) == "npy") f.bytes = from_npy(path, d, q, f.from);
    else f.bytes = from_raw(path, d, f.from);
  } catch (const CommandError& e) {
    throw CommandError("input " + in_quotes(name) + ": " + e.what());
  }
  return f;
}

void InputOptions::add_to(CLI::App& app) {
  const std::string group = "Inputs";
  app.add_option("--input", inputs,
                 "The file of an input: a .npy file, an image (.png, .jpg, .bmp) or, with any "
                 "other extension, its bytes. Inputs without a file are random")
      ->type_name("[NAME=]FILE")
      ->take_all()
      ->group(group);
  app.add_option("--image", image, "An image for the only input that can be an image")
      ->type_name("FILE")
      ->group(group);
  add_images_to(app);
  app.add_option("--seed", seed, "The seed of the random numbers")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
}

void InputOptions::add_images_to(CLI::App& app) {
  const std::string group = "Inputs";
  app.add_option("--resize", resize,
                 "How an image gets the size of the input; none: it must already have it")
      ->check(CLI::IsMember({"stretch", "crop", "pad", "none"}))
      ->type_name("HOW")
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--scale", scale,
         "Pixels, 0 to 255, become (pixel * scale - mean) / std. Without --scale, --mean and "
         "--std, floats and uint8 have the pixels as they are, and int8 has the pixels minus 128")
      ->type_name("X")
      ->group(group);
  app.add_option("--mean", mean, "One value, or one for each channel with commas between them")
      ->delimiter(',')
      ->type_name("X,...")
      ->group(group);
  app.add_option("--std", std, "One value, or one for each channel with commas between them")
      ->delimiter(',')
      ->type_name("X,...")
      ->group(group);
  app.add_option("--layout", layout,
                 "The layout of images, if the shape of the input does not show it")
      ->check(CLI::IsMember({"nhwc", "nchw"}))
      ->type_name("LAYOUT")
      ->group(group);
  app.add_flag("--bgr", bgr, "The channels come in the order blue, green, red")->group(group);
}

std::vector<std::byte> random_bytes(const MLOperandDescriptor& d, std::uint64_t seed,
                                    std::size_t place) {
  // Raw words of the engine: the standard library's distributions differ between libraries.
  std::mt19937_64 random(seed * 1000003 + place);
  std::vector<std::byte> bytes(byte_length(d));
  if (bits_of(d.dataType) <= 8 && !is_float(d.dataType)) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random() >> 56);
    if (bits_of(d.dataType) == 4 && element_count(d.shape) % 2) bytes.back() &= std::byte{15};
    return bytes;
  }
  for (std::size_t i = 0, n = element_count(d.shape); i < n; ++i) {
    const double v = is_float(d.dataType) ? std::ldexp(static_cast<double>(random() >> 40), -23) - 1
                                          : static_cast<double>(random() >> 61);
    store(v, d.dataType, bytes, i);
  }
  return bytes;
}

namespace {

std::optional<MLOperandDataType> data_type_of(const Array& a) {
  if (a.kind == 'b' && a.item_bytes == 1) return uint8;
  if (a.kind == 'V') return enum_from<MLOperandDataType>(a.type());
  for (MLOperandDataType t : {float32, float16, int32, uint32, int64, uint64, int8, uint8}) {
    const char kind = is_float(t) ? 'f' : name_of(t)[0];
    if (a.kind == kind && a.item_bytes * 8 == bits_of(t)) return t;
  }
  return std::nullopt;
}

}  // namespace

GivenInputs given_by(const InputOptions& o) {
  GivenInputs all;
  for (const std::string& argument : o.inputs) {
    const auto [name, path] = name_and_value(argument);
    if (extension_of(path) != "npy") continue;
    const auto bytes = read_file(path);
    const Array array = parse_npy(bytes, shown(path));
    if (std::ranges::all_of(array.shape, [](auto d) { return d <= max_tensor_byte_length; }))
      all.shapes.emplace(name, Dims(array.shape.begin(), array.shape.end()));
    if (name.empty() || array.count > 65536) continue;
    KnownValue v{{}, {array.bytes.begin(), array.bytes.end()}};
    const auto type = data_type_of(array);
    bool fits = type.has_value();
    if (fits) v.type = *type;
    for (std::uint64_t d : array.shape) {
      fits = fits && d <= max_tensor_byte_length;
      v.shape.push_back(static_cast<std::uint32_t>(d));
    }
    if (fits) all.values.emplace(name, std::move(v));
  }
  return all;
}

Feeds make_feeds(const InputOptions& o, const Model& m) {
  const auto& inputs = m.compiled.inputs();
  std::vector<std::optional<Feed>> given(inputs.size());
  const auto give = [&](std::size_t place, const std::string& path) {
    if (given[place])
      throw Usage("input " + in_quotes(inputs[place].name) + " is given more than once");
    given[place] = read_feed(path, inputs[place], m.input_quantization[place], o);
  };
  for (const std::string& argument : o.inputs) {
    const auto [name, path] = name_and_value(argument);
    if (path.empty()) throw Usage("--input " + escaped(argument) + ": there is no file name");
    if (std::find(m.constants.begin(), m.constants.end(), name) != m.constants.end()) continue;
    give(place_of(name, "--input " + escaped(argument), m), path);
  }
  if (!o.image.empty()) give(image_place(m), o.image);
  for (const KeptState& s : keptStates(m.compiled))
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].name == s.input && !given[i])
        given[i] = Feed{s.input,
                        inputs[i].descriptor,
                        {s.initial.bytes().begin(), s.initial.bytes().end()},
                        "the first value of the state"};
  Feeds feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const auto v = m.values.find(inputs[i].name);
        !given[i] && v != m.values.end() && v->second.shape == inputs[i].descriptor.shape)
      given[i] = Feed{inputs[i].name, inputs[i].descriptor, v->second.bytes, "--value"};
    if (!given[i])
      given[i] =
          Feed{inputs[i].name, inputs[i].descriptor, random_bytes(inputs[i].descriptor, o.seed, i),
               fmt::format("random, seed {}", o.seed)};
    feeds.push_back(std::move(*given[i]));
  }
  return feeds;
}

}  // namespace webnn::inline v0_1::tool
