#include "tools/webnn/model/known_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/data/values.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

struct InputType {
  std::string name{};
  MLOperandDataType type = float32;
  std::vector<std::int64_t> sizes{};  ///< below 0: open
};

/// "int64 [1, ?]" of a view; nothing for a type that WebNN does not have.
std::optional<InputType> parsed(const FileValue& v) {
  const std::size_t open = v.type.find('['), close = v.type.find(']');
  if (open == std::string::npos || open == 0 || close == std::string::npos) return std::nullopt;
  const std::string element = v.type.substr(0, open - 1);
  const auto type = enum_from<MLOperandDataType>(element == "bool" ? "uint8" : element);
  if (!type) return std::nullopt;
  InputType out{v.name, *type};
  for (const std::string_view size : split(v.type.substr(open + 1, close - open - 1))) {
    std::int64_t n = -1;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), n);
    out.sizes.push_back(error == std::errc() && end == size.data() + size.size() ? n : -1);
  }
  return out;
}

/// Those of the model; where it is not imported without the values, as its file has them.
std::vector<InputType> inputs_of(const ModelOptions& o, const Format& format) {
  std::vector<InputType> all;
  try {
    MLGraphBuilder builder(MLContext({.threads = 1, .backends = {"reference"}}));
    for (const auto& [name, x] :
         import_model(builder, Path(o.path), import_options(o, format)).inputs) {
      InputType t{name, x.dataType()};
      for (const MLDimension& d : x.dimensions().value_or(MLDimensions()))
        t.sizes.push_back(d.is_open() ? -1 : static_cast<std::int64_t>(d.size()));
      all.push_back(std::move(t));
    }
    return all;
  } catch (const Error&) {  // the values may be what it needs
  }
  if (const auto view = file_view_without_values(o))
    for (const std::size_t i : view->graphs.front().inputs)
      if (auto t = parsed(view->graphs.front().values[i])) all.push_back(std::move(*t));
  return all;
}

void store_number(std::string_view text, const std::string& argument, MLOperandDataType type,
                  std::span<std::byte> bytes, std::size_t i) {
  if (text == "true") text = "1";
  if (text == "false") text = "0";
  const char* end = text.data() + text.size();
  if (type == int64) {
    std::int64_t v = 0;
    const auto [after, error] = std::from_chars(text.data(), end, v);
    if (error == std::errc() && after == end) {
      std::memcpy(bytes.data() + i * 8, &v, 8);
      return;
    }
  }
  double v = 0;
  const auto [after, error] = std::from_chars(text.data(), end, v);
  bool fits = error == std::errc() && after == end;
  if (fits && !is_float(type)) {
    const auto [least, greatest] = tool::range_of(type);
    fits = v == std::floor(v) && v >= least && v <= greatest;
  }
  if (!fits)
    throw Usage(fmt::format("--value {}: {} is not a value of {}", escaped(argument),
                            in_quotes(text), webnn::name_of(type)));
  store(v, type, bytes, i);
}

}  // namespace

KnownValue known_value(const std::string& argument, const std::string& text, MLOperandDataType type,
                       const std::vector<std::int64_t>& sizes) {
  const std::vector<std::string_view> items = split(text);
  std::uint64_t fixed = 1;
  for (const std::int64_t d : sizes)
    if (d >= 0) fixed *= static_cast<std::uint64_t>(std::min<std::int64_t>(d, 1 << 20));
  const auto open = std::ranges::count_if(sizes, [](std::int64_t d) { return d < 0; });
  KnownValue v{.type = type};
  bool used = false;
  for (const std::int64_t d : sizes) {
    // The first open dimension has what the others leave.
    const std::uint64_t rest = fixed > 0 && items.size() % fixed == 0 ? items.size() / fixed : 0;
    v.shape.push_back(static_cast<std::uint32_t>(d >= 0 ? static_cast<std::uint64_t>(d)
                                                 : used ? 1
                                                        : rest));
    used = used || d < 0;
  }
  std::uint64_t count = 1;
  for (const std::uint32_t d : v.shape) count *= std::min<std::uint32_t>(d, 1 << 20);
  if (count != items.size() || (open == 0 && fixed != items.size()))
    throw Usage(fmt::format("--value {}: it has {}, but the input has shape {}", escaped(argument),
                            counted(items.size(), "value"), formats::view_shape(sizes)));
  v.bytes.resize(byte_length({type, v.shape}));
  for (std::size_t i = 0; i < items.size(); ++i) store_number(items[i], argument, type, v.bytes, i);
  return v;
}

ImportOptions import_options(const ModelOptions& o, const Format& format) {
  return {.format = std::string(format.name),
          .dimensions = o.dimensions_by_name(),
          .shapes = o.shapes_by_name(),
          .outputs = o.outputs_by_name(),
          .signature = o.signature,
          .subgraph = o.subgraph};
}

KnownValues known_values(const ModelOptions& o) {
  KnownValues all;
  if (o.values.empty()) return all;
  const std::vector<InputType> inputs = inputs_of(o, readable(o.path, o.from));
  for (const std::string& argument : o.values) {
    const auto [name, text] = name_and_value(argument);
    if (name.empty() || text.empty())
      throw Usage("--value " + escaped(argument) + ": it is not of the form NAME=VALUE");
    const auto found = std::ranges::find(inputs, name, &InputType::name);
    if (found == inputs.end())
      throw Usage(fmt::format(
          "--value {}: there is no input of that name; the model has {}", escaped(argument),
          inputs.empty() ? "none" : joined(inputs, ", ", [](const InputType& t) {
            return fmt::format("{} ({} {})", in_quotes(t.name), webnn::name_of(t.type),
                               formats::view_shape(t.sizes));
          })));
    if (!all.emplace(name, known_value(argument, text, found->type, found->sizes)).second)
      throw Usage("--value " + escaped(name) + ": it is given twice");
  }
  return all;
}

}  // namespace webnn::inline v0_1::tool
