#include "tools/webnn/data/golden.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/terminal.h"
#include "tools/webnn/data/npy.h"
#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {
namespace {

/// A name as part of a file's name.
std::string file_name(const std::string& name, std::size_t place) {
  std::string s;
  for (char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '_' || c == '-' || c == '.';
    s += plain ? c : '_';
  }
  if (s.find_first_not_of('.') == std::string::npos || s.size() > 100) s.clear();
  return s.empty() ? fmt::format("output_{}", place) : s;
}

/// The values of a file as bytes of the output's type.
std::vector<std::byte> golden_bytes(const std::filesystem::path& path,
                                    const MLOperandDescriptor& d) {
  const std::vector<std::byte> file = read_file(path);
  const Array a = parse_npy(file, shown(path));
  const std::vector<std::uint64_t> shape(d.shape.begin(), d.shape.end());
  if (a.shape != shape)
    throw CommandError(shown(path) + ": its shape " +
                       detail::Arg(std::span<const std::uint64_t>(a.shape)).text +
                       " is not that of the output, " + detail::Arg(std::span(d.shape)).text);
  std::vector<std::byte> bytes(byte_length(d));
  if (a.type() == name_of(d.dataType)) {
    std::copy(a.bytes.begin(), a.bytes.end(), bytes.begin());
    return bytes;
  }
  if (a.kind == 'V' || is_float(d.dataType) != (a.kind == 'f'))
    throw CommandError(shown(path) + ": its type " + a.type() + " is not that of the output, " +
                       std::string(name_of(d.dataType)));
  for (std::uint64_t i = 0; i < a.count; ++i) store(a.at(i), d.dataType, bytes, i);
  return bytes;
}

}  // namespace

std::vector<std::string> file_names(const NamedDescriptors& outputs) {
  std::vector<std::string> used;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::string name = file_name(outputs[i].name, i);
    if (std::find(used.begin(), used.end(), name) != used.end()) name += fmt::format("_{}", i);
    used.push_back(name);
  }
  return used;
}

std::vector<GoldenOutput> compare_golden(const std::filesystem::path& folder,
                                         const NamedDescriptors& outputs, const Results& results,
                                         std::optional<double> tolerance,
                                         const GrowthOfOutputs& growth) {
  const std::vector<std::string> names = file_names(outputs);
  std::vector<GoldenOutput> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::filesystem::path path = folder / (names[i] + ".npy");
    const MLOperandDescriptor& d = outputs[i].descriptor;
    GoldenOutput g{
        outputs[i].name, path.string(), distances(d, golden_bytes(path, d), results[i]), {}};
    g.verdict = judge(d, g.distances, tolerance);
    all.push_back(std::move(g));
  }
  if (tolerance || agrees(all)) return all;
  const std::vector<double> grown = growth();
  for (std::size_t i = 0; i < std::min(all.size(), grown.size()); ++i)
    all[i].verdict.allow(grown[i], all[i].distances);
  return all;
}

bool agrees(const std::vector<GoldenOutput>& all) {
  return std::all_of(all.begin(), all.end(), [](const auto& g) { return g.verdict.agrees; });
}

std::string golden_text(const std::vector<GoldenOutput>& all) {
  std::string s;
  for (const GoldenOutput& g : all)
    s += fmt::format(
        "golden {}: {}, {}\n", shown(g.file),
        styled(word_of(g.verdict, g.distances), g.verdict.agrees ? Style::good : Style::bad),
        elements_text(g.verdict, g.distances));
  return s;
}

Json golden_json(const std::vector<GoldenOutput>& all) {
  Json list = Json::array();
  for (const GoldenOutput& g : all)
    list.push_back({{"name", g.name},
                    {"file", g.file},
                    {"agrees", g.verdict.agrees},
                    {"different", g.distances.different},
                    {"largest", number_or_null(g.distances.largest)},
                    {"largest_relative", number_or_null(g.distances.largest_relative)}});
  return list;
}

void add_golden(CLI::App& app, std::string& folder) {
  app.add_option("--golden", folder,
                 "Compare the outputs with the .npy files of this folder, as run --output-dir "
                 "writes them; the exit code is 3 if one differs")
      ->type_name("DIR");
}

}  // namespace webnn::inline v0_1::tool
