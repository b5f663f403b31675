#include "tools/webnn/data/calibration.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/data/npy.h"

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::size_t random_samples = 8;
constexpr std::uint64_t max_kept_bytes = std::uint64_t{512} << 20;

std::vector<std::filesystem::path> files_in(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::filesystem::path> files;
  for (auto i = std::filesystem::directory_iterator(path, error);
       !error && i != std::filesystem::directory_iterator(); i.increment(error))
    if (i->is_regular_file(error) && i->path().filename().string().front() != '.')
      files.push_back(i->path());
  if (error) throw CommandError(shown(path) + ": " + error.message());
  if (files.empty()) throw CommandError(shown(path) + ": there are no files in this folder");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

void CalibrationOptions::add_to(CLI::App& app) {
  const std::string group = "Calibration";
  app.add_option(
         "--calibrate", sources,
         "The samples of an input: a folder with one file for each sample, or one such file. A "
         "file is an image, a .npy file or, with any other extension, the bytes of the input. "
         "Inputs without samples are random; a line on the standard error says so")
      ->type_name("[NAME=]PATH")
      ->take_all()
      ->group(group);
  app.add_option("--samples", max_samples, "Use the first N samples")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(group);
  images.add_images_to(app);
}

FileSamples::FileSamples(const CalibrationOptions& o, const Model& m) : options_(o), model_(m) {
  const NamedDescriptors& inputs = m.compiled.inputs();
  files_.resize(inputs.size());
  for (const std::string& argument : o.sources) {
    const auto [name, path] = name_and_value(argument);
    const std::string what = "--calibrate " + escaped(argument);
    if (path.empty()) throw Usage(what + ": there is no file or folder");
    auto& files = files_[place_of(name, what, m)];
    if (!files.empty()) throw Usage(what + ": the samples of this input are given twice");
    files = files_in(path);
    if (count_ != 0 && files.size() != count_)
      throw CommandError(fmt::format("{}: there are {} samples, but {} of another input",
                                     shown(path), files.size(), count_));
    count_ = files.size();
  }
  if (count_ == 0) count_ = random_samples;
  count_ = std::min(count_, o.max_samples);
  kept_.resize(count_);
}

std::vector<std::string> FileSamples::random_inputs() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i].empty()) names.push_back(model_.compiled.inputs()[i].name);
  return names;
}

/// Those of .npy files, from which sizes of open dimensions follow.
ShapesByName FileSamples::shapes_of(std::size_t index) const {
  ShapesByName shapes;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].empty() || extension_of(files_[i][index]) != "npy") continue;
    const auto bytes = read_file(files_[i][index]);
    const Array array = parse_npy(bytes, shown(files_[i][index]));
    if (std::ranges::all_of(array.shape, [](auto d) { return d <= max_tensor_byte_length; }))
      shapes.emplace(model_.compiled.inputs()[i].name,
                     Dims(array.shape.begin(), array.shape.end()));
  }
  return shapes;
}

Feeds FileSamples::read(std::size_t index) const {
  NamedDescriptors inputs = model_.compiled.inputs();
  if (model_.compiled.is_open()) {
    const ChosenSizes chosen = choose_sizes(model_.graph(), {}, {}, shapes_of(index));
    const ShapesByName shapes = shapes_at(model_.graph(), chosen.sizes);
    for (NamedDescriptor& input : inputs)
      if (const auto found = shapes.find(input.name); found != shapes.end())
        input.descriptor.shape = found->second;
  }
  Feeds feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (files_[i].empty())
      feeds.push_back({inputs[i].name, inputs[i].descriptor,
                       random_bytes(inputs[i].descriptor, index + 1, i), "random"});
    else
      feeds.push_back(
          read_feed(files_[i][index], inputs[i], model_.input_quantization[i], options_.images));
  }
  return feeds;
}

std::optional<CalibrationSample> FileSamples::operator()(std::size_t index) {
  if (index >= count_) return std::nullopt;
  if (!kept_[index]) {
    last_ = read(index);
    std::uint64_t bytes = 0;
    for (const Feed& f : last_) bytes += f.bytes.size();
    if (kept_bytes_ + bytes <= max_kept_bytes) {
      kept_bytes_ += bytes;
      kept_[index] = std::move(last_);
    }
  }
  CalibrationSample sample;
  for (const Feed& f : kept_[index] ? *kept_[index] : last_)
    sample.push_back(
        {f.name, f.descriptor.shape.empty()
                     ? InputView(f.bytes)
                     : InputView(f.bytes, ListView<std::uint32_t>(f.descriptor.shape))});
  return sample;
}

}  // namespace webnn::inline v0_1::tool
