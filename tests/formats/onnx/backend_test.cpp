// Cases of ONNX's own backend tests: each folder in WEBNN_ONNX_TESTS, or in a folder in it, has
// model.onnx and, in test_data_set_0, input_N.pb and output_N.pb.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/formats/onnx/model.h"
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using webnn::test::tensor;
namespace fs = std::filesystem;
using TestTensor = webnn::test::Tensor;

namespace {

std::vector<std::byte> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// The elements of a file of a TensorProto, for WebNN and as doubles.
struct Data {
  ElementType type = ElementType::UNDEFINED;
  std::optional<MLOperandDataType> held{};  // as what the importer takes it
  Dims shape{};
  std::vector<double> values{};
  std::vector<std::byte> bytes{};
  bool tensor = true;       // else a sequence, a text ...
  bool other_type = false;  // than the model says
};

template <class T> void append(Data& d, const std::vector<T>& list) {
  for (T v : list) d.values.push_back(static_cast<double>(v));
}
template <class T> std::vector<T> elements(Bytes raw) {
  std::vector<T> list(raw.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), raw.data(), list.size() * sizeof(T));
  return list;
}

/// The bits of elements of a typed field, as raw bytes have them.
std::vector<std::uint8_t> bytes_of(const onnx::Tensor& t, const std::vector<std::int32_t>& list) {
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t v : list) {
    bytes.push_back(static_cast<std::uint8_t>(v));
    if (t.type == ElementType::BFLOAT16) bytes.push_back(static_cast<std::uint8_t>(v >> 8));
  }
  return bytes;
}

double float_of(unsigned bits, unsigned exponent_bits, unsigned fraction_bits, int bias) {
  const unsigned exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1),
                 fraction = bits & ((1u << fraction_bits) - 1);
  const double unit = std::ldexp(1.0, -static_cast<int>(fraction_bits));
  const double v = exponent ? std::ldexp(1 + fraction * unit, static_cast<int>(exponent) - bias)
                            : std::ldexp(fraction * unit, 1 - bias);
  return bits >> (exponent_bits + fraction_bits) & 1 ? -v : v;
}

/// An element of a type that WebNN does not have, by its bits.
double small_value(ElementType type, unsigned bits) {
  const double nan = std::nan("");
  const unsigned magnitude = bits & 0x7f;
  const auto infinite = [&](unsigned at) {
    return magnitude == at ? (bits > at ? -INFINITY : INFINITY) : nan;
  };
  switch (type) {
    case ElementType::BFLOAT16: {
      const std::uint32_t wide = bits << 16;
      float v = 0;
      std::memcpy(&v, &wide, 4);
      return v;
    }
    case ElementType::FLOAT8E4M3FN: return magnitude == 0x7f ? nan : float_of(bits, 4, 3, 7);
    case ElementType::FLOAT8E4M3FNUZ: return bits == 0x80 ? nan : float_of(bits, 4, 3, 8);
    case ElementType::FLOAT8E5M2:
      return magnitude >= 0x7c ? infinite(0x7c) : float_of(bits, 5, 2, 15);
    case ElementType::FLOAT8E5M2FNUZ: return bits == 0x80 ? nan : float_of(bits, 5, 2, 16);
    case ElementType::FLOAT8E8M0:
      return bits == 0xff ? nan : std::ldexp(1.0, static_cast<int>(bits) - 127);
    case ElementType::FLOAT4E2M1: return float_of(bits, 2, 1, 1);
    case ElementType::INT2: return bits > 1 ? static_cast<int>(bits) - 4 : static_cast<int>(bits);
    default: return bits;
  }
}

void read_small(Data& d, const onnx::Tensor& t, const std::vector<std::uint8_t>& bytes) {
  const bool two = t.type == ElementType::BFLOAT16;
  const std::size_t in_byte = t.type == ElementType::INT2 || t.type == ElementType::UINT2 ? 4
                              : t.type == ElementType::FLOAT4E2M1                         ? 2
                                                                                          : 1;
  for (std::size_t i = 0; i < element_count(d.shape); ++i) {
    unsigned bits = two ? bytes.at(2 * i) | bytes.at(2 * i + 1) << 8 : bytes.at(i / in_byte);
    if (in_byte > 1) bits = bits >> (i % in_byte * 8 / in_byte) & ((1u << 8 / in_byte) - 1);
    d.values.push_back(small_value(t.type, bits));
  }
}

void read_values(Data& d, const onnx::Tensor& t) {
  using enum ElementType;
  constexpr std::uint64_t max = 1 << 28;
  const bool raw = t.has_raw;
  const auto narrow = [&] { return typed_data<std::int32_t>(t, max); };
  switch (t.type) {
    case FLOAT: append(d, raw ? elements<float>(t.raw) : typed_data<float>(t, max)); break;
    case DOUBLE: append(d, raw ? elements<double>(t.raw) : typed_data<double>(t, max)); break;
    case INT64:
      append(d, raw ? elements<std::int64_t>(t.raw) : typed_data<std::int64_t>(t, max));
      break;
    case UINT64:
      append(d, raw ? elements<std::uint64_t>(t.raw) : typed_data<std::uint64_t>(t, max));
      break;
    case UINT32:
      if (raw) append(d, elements<std::uint32_t>(t.raw));
      else append(d, typed_data<std::uint64_t>(t, max));
      break;
    case INT32: append(d, raw ? elements<std::int32_t>(t.raw) : narrow()); break;
    case INT8:
      if (raw) append(d, elements<std::int8_t>(t.raw));
      else append(d, narrow());
      break;
    case UINT8:
    case BOOL:
      if (raw) append(d, elements<std::uint8_t>(t.raw));
      else append(d, narrow());
      break;
    case FLOAT16: {
      std::vector<std::uint16_t> bits = elements<std::uint16_t>(t.raw);
      if (!raw)
        for (std::int32_t v : narrow()) bits.push_back(static_cast<std::uint16_t>(v));
      for (std::uint16_t v : bits) d.values.push_back(float16_value(v));
      break;
    }
    case INT4:
    case UINT4: {
      std::vector<std::uint8_t> pairs = elements<std::uint8_t>(t.raw);
      if (!raw)
        for (std::int32_t v : narrow()) pairs.push_back(static_cast<std::uint8_t>(v));
      for (std::size_t i = 0; i < element_count(d.shape); ++i) {
        const int v = pairs.at(i / 2) >> (i % 2 * 4) & 15;
        d.values.push_back(t.type == INT4 && v > 7 ? v - 16 : v);
      }
      break;
    }
    case INT16:
    case UINT16:
      if (!raw) append(d, narrow());
      else if (t.type == INT16) append(d, elements<std::int16_t>(t.raw));
      else append(d, elements<std::uint16_t>(t.raw));
      break;
    case BFLOAT16:
    case FLOAT8E4M3FN:
    case FLOAT8E4M3FNUZ:
    case FLOAT8E5M2:
    case FLOAT8E5M2FNUZ:
    case FLOAT8E8M0:
    case FLOAT4E2M1:
    case INT2:
    case UINT2:
      read_small(d, t, raw ? elements<std::uint8_t>(t.raw) : bytes_of(t, narrow()));
      break;
    default: d.tensor = false;
  }
}

Data read_data(const fs::path& path, const ValueInfo& info) {
  Data d;
  const auto bytes = read(path);
  if (info.kind != "tensor") {
    d.tensor = false;
    return d;
  }
  Limits limits;
  const onnx::Tensor t = read_tensor(bytes, limits);
  d.type = t.type;
  d.other_type = info.type != t.type;
  for (std::int64_t size : t.dims) d.shape.push_back(static_cast<std::uint32_t>(size));
  read_values(d, t);
  d.held = is_narrow(t.type) ? wider_type_of(t.type) : data_type_of(t.type);
  if (t.type == ElementType::DOUBLE || t.type == ElementType::BFLOAT16) d.held = float32;
  if (const auto type = d.held) {
    if (element_count(d.shape) == 0) return d;
    if (*type == int64 && t.has_raw) d.bytes.assign(t.raw.begin(), t.raw.end());
    else d.bytes = tensor(*type, d.shape, d.values).bytes;
  }
  return d;
}

/// Empty when they agree, with the tolerance of ONNX's own runner.
std::string difference(const TestTensor& y, const Data& expected, bool network, bool random) {
  if (y.shape != expected.shape) return "it has another shape";
  if (random) return {};
  // Elements of a network near 0 are differences of larger ones, in another order of summation.
  double largest = 0;
  for (double v : expected.values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  const double least = network ? 1e-5 * largest : 1e-7;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double a = y[i], b = expected.values[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const bool exact = !webnn::is_float(y.type);
    if (!exact && std::abs(a - b) <= least + 1e-3 * std::abs(b)) continue;
    char text[80];
    std::snprintf(text, sizeof text, "element %zu is %.9g, not %.9g", i, a, b);
    return text;
  }
  return {};
}

struct Case {
  fs::path folder;
  std::vector<std::byte> file{};
  std::vector<std::string> input_names{}, output_names{};
  std::vector<Data> inputs{}, outputs{};
  std::vector<bool> open{};  // inputs without a known shape
  bool network = false;      // a file of more than 100,000 bytes
};

Case read_case(const fs::path& folder) {
  Case c{folder, read(folder / "model.onnx")};
  Limits limits;
  const ModelProto m = read_model(c.file, limits);
  c.network = c.file.size() > 100000;
  const fs::path data = folder / "test_data_set_0";
  const auto all = [&](const std::vector<ValueInfo>& list, const char* kind,
                       std::vector<std::string>& names, std::vector<Data>& values) {
    for (const ValueInfo& info : list) {
      const bool tensor = std::any_of(m.graph.initializers.begin(), m.graph.initializers.end(),
                                      [&](const auto& t) { return t.name == info.name; });
      const auto path = data / (kind + std::to_string(values.size()) + ".pb");
      if (tensor || !fs::exists(path)) continue;
      names.emplace_back(info.name);
      values.push_back(read_data(path, info));
    }
  };
  all(m.graph.inputs, "input_", c.input_names, c.inputs);
  for (const std::string& name : c.input_names)
    for (const ValueInfo& info : m.graph.inputs)
      if (info.name == name)
        c.open.push_back(!info.has_shape ||
                         std::any_of(info.shape.begin(), info.shape.end(),
                                     [](const Dimension& d) { return !d.value; }));
  all(m.graph.outputs, "output_", c.output_names, c.outputs);
  return c;
}

/// An input with a name for each dimension in place of its size.
MLOperand open_input(MLGraphBuilder& b, const std::string& name, const TestTensor& x) {
  MLDimensions dimensions;
  for (std::size_t d = 0; d < x.shape.size(); ++d) dimensions.push_back(name + std::to_string(d));
  return b.input(name, {x.type, dimensions});
}

/// Random numbers, of which ONNX compares the shapes alone.
bool is_random(std::string_view name) { return name.starts_with("test_bernoulli"); }

/// "" when it passes; "refused: ..." or "wrong: ..." else. `open`: no size is known at import.
std::string verdict(const Case& c, const MLContext& context, bool open = false) {
  ImportOptions options{.narrow_double = true};
  std::map<std::string, TestTensor> inputs;
  for (const auto* list : {&c.inputs, &c.outputs})
    for (const Data& d : *list) {
      if (d.other_type) return "refused: its data has another type than the model";
      // No float32 has these numbers.
      for (const double v : d.values)
        if (std::isfinite(v) && std::abs(v) > std::numeric_limits<float>::max())
          options.narrow_double = options.narrow_double && d.type != ElementType::DOUBLE;
    }
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Data& d = c.inputs[i];
    if (!d.tensor || !d.held) continue;
    options.values[c.input_names[i]] = {d.shape, d.bytes};
    if (c.open[i] && element_count(d.shape) == 0) return "refused: an input has no elements";
    if (c.open[i]) options.shapes[c.input_names[i]] = d.shape;
    inputs[c.input_names[i]] = {*d.held, d.shape, d.bytes};
  }
  try {
    MLGraphBuilder b(context);
    if (open)
      for (const auto& [name, x] : inputs)
        if (element_count(x.shape) > 0) options.inputs.push_back({name, open_input(b, name, x)});
    const Model m = import_model(b, (c.folder / "model.onnx").string(), options);
    const auto results = onnx::test::run(b, m, inputs);
    const bool random = is_random(c.folder.filename().string());
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
      const std::string bad = difference(results.at(i), c.outputs[i], c.network, random);
      if (!bad.empty()) return "wrong: output " + std::to_string(i) + ": " + bad;
    }
    return {};
  } catch (const NotSupportedError& e) {
    return std::string("refused: ") + e.what();
  } catch (const TypeError& e) {
    // The builder's trials do not find the sizes of many names that can have few sizes each.
    return (open ? "refused: " : "wrong: ") + std::string(e.what());
  } catch (const DataError& e) {
    return (open ? "refused: " : "wrong: ") + std::string(e.what());
  } catch (const std::exception& e) { return std::string("wrong: ") + e.what(); }
}

/// Cases whose expected outputs are wrong in some releases of ONNX, which has corrected them later
/// or says so: sums that wrap around instead of being saturated,
/// https://github.com/onnx/onnx/issues/6169, an average over elements behind the padding, until
/// 1.18; 0 / 0 where the specification has 0; and rounding errors of 2e-7 in place of 0.
bool has_wrong_data(std::string_view name) {
  return name.starts_with("test_qlinearmatmul_2D_int8_float") ||
         name.starts_with("test_qlinearmatmul_3D_int8_float") ||
         name == "test_l2normalization_axis_0" || name == "test_dft_inverse" ||
         name == "test_dft_inverse_opset19" ||
         name == "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True";
}

/// Texts, sequences of any length, training and images in a file format, which WebNN does not
/// compute.
bool is_beyond(std::string_view refusal) {
  for (std::string_view part : {"no type for STRING", "is a sequence, not", "is a optional, not",
                                "ImageDecoder", "preview.training", "in training mode"})
    if (refusal.find(part) != refusal.npos) return true;
  return false;
}

std::vector<fs::path> folders_in(const fs::path& top) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(top))
    if (entry.path().filename() == "model.onnx") all.push_back(entry.path().parent_path());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("onnx: backend cases give the expected outputs", "[.][backend]") {
  const char* top = std::getenv("WEBNN_ONNX_TESTS");
  if (!top) {
    WARN("WEBNN_ONNX_TESTS is not set");
    return;
  }
  const char* least = std::getenv("WEBNN_ONNX_TESTS_PASS");
  MLContext fast, plain = webnn::test::plain_context();
  std::size_t passed = 0, refused = 0, wrong_data = 0, beyond = 0;
  std::vector<std::string> wrong;
  for (const fs::path& folder : folders_in(top)) {
    const Case c = read_case(folder);
    const std::string name = folder.filename().string();
    std::string result = verdict(c, fast);
    if (result.empty() && !(result = verdict(c, plain)).empty()) result += " (reference)";
    std::printf("%s: %s\n", name.c_str(), result.empty() ? "passed" : result.c_str());
    if (result.empty()) ++passed;
    else if (result.starts_with("refused")) ++refused, beyond += is_beyond(result);
    else if (has_wrong_data(name)) ++wrong_data;
    else wrong.push_back(name + ": " + result);
  }
  std::printf("passed %zu, refused %zu, wrong %zu, with wrong data %zu\n", passed, refused,
              wrong.size(), wrong_data);
  const std::size_t all = passed + refused + wrong.size() + wrong_data - beyond;
  std::printf(
      "%.1f %% of %zu, without texts, sequences, training and images\n",
      100. * static_cast<double>(passed) / static_cast<double>(std::max<std::size_t>(all, 1)), all);
  for (const std::string& w : wrong) UNSCOPED_INFO(w);
  CHECK(wrong.empty());
  CHECK(passed >= (least ? std::stoul(least) : 1u));
}

TEST_CASE("onnx: backend cases give the expected outputs with open dimensions", "[.][backend]") {
  const char* top = std::getenv("WEBNN_ONNX_TESTS");
  if (!top) {
    WARN("WEBNN_ONNX_TESTS is not set");
    return;
  }
  const MLContext plain = webnn::test::plain_context();
  std::size_t passed = 0, refused = 0;
  std::vector<std::string> wrong;
  for (const fs::path& folder : folders_in(top)) {
    const Case c = read_case(folder);
    if (c.network || !verdict(c, plain).empty()) continue;
    const std::string result = verdict(c, plain, true), name = folder.filename().string();
    if (result.empty()) ++passed;
    else if (result.starts_with("refused")) ++refused;
    else wrong.push_back(name + ": " + result);
    if (!result.empty()) std::printf("%s, open: %s\n", name.c_str(), result.c_str());
  }
  std::printf("open: passed %zu, refused %zu, wrong %zu\n", passed, refused, wrong.size());
  for (const std::string& w : wrong) UNSCOPED_INFO(w);
  CHECK(wrong.empty());
  CHECK(passed > 15 * refused);
}
