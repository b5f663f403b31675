#include "src/formats/safetensors/header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "src/formats/safetensors/dtypes.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::safetensors {

namespace {

// Limits beyond those of the format: a header needs little more memory than it has bytes.
constexpr std::size_t max_dimensions = 64, max_metadata = 65'536;

/// Handles the events of the parser, so that no document is built and values are nested no deeper
/// than the format allows. The first unexpected event ends the reading.
class Reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is not a 64-bit integer");
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (where_ == In::shape) {
      if (tensor_.shape.size() == max_dimensions)
        return stop(fail("shape has more than {} dimensions", max_dimensions));
      tensor_.shape.push_back(value);
      return true;
    }
    if (where_ == In::offsets) {
      if (offsets_ == 2) return stop(fail("data_offsets has more than two numbers"));
      (offsets_++ == 0 ? tensor_.begin : tensor_.end) = value;
      return true;
    }
    return unexpected("a number");
  }
  bool string(string_t& value) override {
    if (where_ == In::metadata) {
      header.metadata.emplace(key_, std::move(value));
      return true;
    }
    if (where_ != In::tensor || key_ != "dtype") return unexpected("a string");
    const Dtype* dtype = dtype_of(value);
    if (!dtype) return stop(fail("dtype {} is not one of the format", in_quotes(value)));
    tensor_.dtype = dtype->name;
    tensor_.dataType = dtype->type;
    return true;
  }
  bool start_object(std::size_t) override {
    if (where_ == In::file) {
      where_ = In::header;
    } else if (where_ == In::header && key_ == metadata_key) {
      where_ = In::metadata;
    } else if (where_ == In::header) {
      where_ = In::tensor;
      tensor_ = {.name = key_};
    } else {
      return unexpected("an object");
    }
    return true;
  }
  bool key(string_t& value) override {
    key_ = std::move(value);
    if (where_ == In::tensor) return tensor_key();
    if (where_ == In::metadata) {
      if (header.metadata.contains(key_)) return stop(fail("the key is given twice"));
      if (header.metadata.size() == max_metadata)
        return stop(fail("there are more than {} texts", max_metadata));
    } else if (key_ == metadata_key && std::exchange(has_metadata_, true)) {
      return stop(fail("the key is given twice"));
    }
    return true;
  }
  bool end_object() override {
    if (where_ == In::tensor) {
      for (const auto& [name, seen] :
           {std::pair("dtype", dtype_), {"shape", shape_}, {"data_offsets", data_offsets_}})
        if (!seen) return stop(fail("{} is missing", name));
      dtype_ = shape_ = data_offsets_ = false;
      header.tensors.push_back(std::move(tensor_));
    }
    where_ = where_ == In::header ? In::file : In::header;
    return true;
  }
  bool start_array(std::size_t) override {
    if (where_ != In::tensor || key_ == "dtype") return unexpected("a list");
    where_ = key_ == "shape" ? In::shape : In::offsets;
    offsets_ = 0;
    return true;
  }
  bool end_array() override {
    if (where_ == In::offsets && offsets_ != 2)
      return stop(fail("data_offsets does not have two numbers"));
    where_ = In::tensor;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    failure = fail("the header is not JSON in UTF-8: its byte {} does not fit", position);
    return false;
  }

  Header header{};
  std::optional<Failure> failure{};

 private:
  enum class In { file, header, metadata, tensor, shape, offsets };

  bool tensor_key() {
    bool* seen = key_ == "dtype"          ? &dtype_
                 : key_ == "shape"        ? &shape_
                 : key_ == "data_offsets" ? &data_offsets_
                                          : nullptr;
    if (!seen) return stop(fail("{} is not a key of the format", in_quotes(key_)));
    if (*seen) return stop(fail("{} is given twice", key_));
    return *seen = true;
  }
  bool unexpected(std::string_view kind) {
    switch (where_) {
      case In::file: return stop(fail("the header is {}, not an object", kind));
      case In::header: return stop(fail("{} is not an object", kind));
      case In::metadata: return stop(fail("{} is not a string", kind));
      case In::shape:
        return stop(fail("shape has {}, but should have only non-negative integers", kind));
      case In::offsets:
        return stop(fail("data_offsets has {}, but should have only non-negative integers", kind));
      case In::tensor: break;
    }
    return stop(fail("{} is {}, not {}", key_, kind, key_ == "dtype" ? "a string" : "a list"));
  }
  /// Ends the reading with a failure that names the current tensor or key.
  bool stop(Failure f) {
    if (where_ == In::metadata) f.message = "__metadata__: " + in_quotes(key_) + ": " + f.message;
    else if (where_ == In::header && key_ == metadata_key) f.message = key_ + ": " + f.message;
    else if (where_ == In::header) f.message = "tensor " + in_quotes(key_) + ": " + f.message;
    else if (where_ != In::file) f.message = "tensor " + in_quotes(tensor_.name) + ": " + f.message;
    failure = std::move(f);
    return false;
  }

  In where_ = In::file;
  std::string key_{};
  TensorInfo tensor_{};
  bool has_metadata_ = false, dtype_ = false, shape_ = false, data_offsets_ = false;
  int offsets_ = 0;
};

/// Nothing when the number of bits does not fit in 64.
std::optional<std::uint64_t> bits_needed(const TensorInfo& t) {
  auto product = static_cast<std::uint64_t>(dtype_of(t.dtype)->bits);
  for (std::uint64_t size : t.shape) {
    if (size != 0 && product > UINT64_MAX / size) return std::nullopt;
    product *= size;
  }
  return product;
}

std::optional<Failure> check(const TensorInfo& t, std::uint64_t data_length) {
  const std::uint64_t offsets[] = {t.begin, t.end};
  const std::span<const std::uint64_t> range(offsets), shape(t.shape);
  if (t.begin > t.end) return fail("data_offsets {} end before they begin", range);
  if (t.end > data_length)
    return fail("data_offsets {} exceed the {} bytes of data", range, data_length);
  const auto bits = bits_needed(t);
  if (!bits) return fail("the size of shape {} exceeds 64 bits", shape);
  if (*bits % 8 != 0) return fail("shape {} of {} is not a whole number of bytes", shape, t.dtype);
  if (t.end - t.begin != *bits / 8)
    return fail("data_offsets {} hold {} bytes, but shape {} of {} needs {}", range,
                t.end - t.begin, shape, t.dtype, *bits / 8);
  return std::nullopt;
}

/// Sorts the tensors by their bytes, which must follow one another from 0 to the end of the data.
std::optional<Failure> check_cover(std::vector<TensorInfo>& tensors, std::uint64_t data_length) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& t = tensors[i];
    const std::uint64_t offsets[] = {t.begin, t.end};
    const std::span<const std::uint64_t> range(offsets);
    if (t.begin < end)
      return fail("tensor {}: data_offsets {} overlap tensor {}, which ends at {}",
                  in_quotes(t.name), range, in_quotes(tensors[i - 1].name), end);
    if (t.begin > end)
      return fail("tensor {}: data_offsets {} leave bytes {} to {} of the data without a tensor",
                  in_quotes(t.name), range, end, t.begin);
    end = t.end;
  }
  if (end != data_length)
    return fail("bytes {} to {} of the data belong to no tensor", end, data_length);
  return std::nullopt;
}

std::optional<Failure> sort_names(Header& header) {
  header.by_name.resize(header.tensors.size());
  std::iota(header.by_name.begin(), header.by_name.end(), 0u);
  const auto name = [&](std::uint32_t i) -> const std::string& { return header.tensors[i].name; };
  std::ranges::sort(header.by_name, {}, name);
  const auto twice = std::ranges::adjacent_find(header.by_name, {}, name);
  if (twice == header.by_name.end()) return std::nullopt;
  return fail("tensor {}: the name is given twice", in_quotes(name(*twice)));
}

Result<Header> parsed(std::string_view json, std::uint64_t data_length) {
  if (!json.starts_with('{')) return fail("the header does not begin with {");
  // The parser treats a zero byte as the end of its input.
  if (const auto zero = json.find('\0'); zero != json.npos)
    return fail("byte {} of the header is zero", zero);
  Reader reader;
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  if (reader.failure) return std::move(*reader.failure);
  for (const TensorInfo& t : reader.header.tensors)
    if (auto bad = check(t, data_length))
      return fail("tensor {}: {}", in_quotes(t.name), bad->message);
  if (auto bad = check_cover(reader.header.tensors, data_length)) return std::move(*bad);
  if (auto bad = sort_names(reader.header)) return std::move(*bad);
  return std::move(reader.header);
}

}  // namespace

Result<Header> read_header(std::string_view json, std::uint64_t data_length) {
  auto header = parsed(json, data_length);
  if (header) return header;
  return Failure{header.failure().message, ErrorName::DataError};
}

}  // namespace webnn::inline v0_1::safetensors
