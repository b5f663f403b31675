#include "bindings/c/src/values.h"

#include <algorithm>
#include <cstring>

#include "webnn/version.h"

namespace webnn::inline v0_1::c {

std::string text(webnn_string s, Where where) {
  const auto characters = list(s.data, s.length, where);
  return {characters.begin(), characters.end()};
}

MLOperandDescriptor descriptor(const webnn_descriptor* d, Where where) {
  const webnn_descriptor& given = need(d, where);
  MLOperandDescriptor out;
  set(where, out.dataType, given.data_type);
  set(where, out.shape, given.shape);
  return out;
}

MLDimensions dimensions(const webnn_dimension* all, std::size_t length, Where where) {
  MLDimensions out;
  for (const webnn_dimension& d : list(all, length, where)) {
    if (d.name.length == 0) {
      out.push_back(d.size);
      continue;
    }
    MLDynamicDimension named{.name = text(d.name, where), .minSize = d.min_size};
    if (d.max_size != 0) named.maxSize = d.max_size;
    else if (d.min_size == 0) named.minSize = 1;
    if (d.size != 0)
      where.reject("has both a name (" + escaped(named.name) + ") and a size (" +
                   std::to_string(d.size) + ") for dimension " + std::to_string(out.size()));
    out.push_back(std::move(named));
  }
  return out;
}

std::vector<NamedShape> named_shapes(const webnn_named_dims* all, std::size_t length, Where where) {
  std::vector<NamedShape> out;
  for (const webnn_named_dims& given : list(all, length, where))
    set(where, out.emplace_back(NamedShape{view(given.name), {}}).shape, given.shape);
  return out;
}

MLNumber number(const webnn_number& v, Where where) {
  switch (v.kind) {
    case WEBNN_NUMBER_FLOAT64: return v.value.float64;
    case WEBNN_NUMBER_INT64: return v.value.int64;
    case WEBNN_NUMBER_UINT64: return v.value.uint64;
    case WEBNN_NUMBER_ABSENT: where.reject("is absent");
    default: where.reject("has a kind (" + std::to_string(v.kind) + ") that does not exist");
  }
}

webnn_text* new_text(std::string s) { return new webnn_text(std::move(s)); }

void copy_options(const void* given, std::size_t given_size, void* all, std::size_t size,
                  Where where) {
  if (given_size < sizeof(std::size_t))
    where.reject("has no struct_size: begin with the INIT macro of its type");
  const auto* bytes = static_cast<const std::byte*>(given);
  for (std::size_t i = size; i < given_size; ++i)
    if (bytes[i] != std::byte{0})
      throw NotSupportedError(where.function, "",
                              std::string(where.argument) +
                                  " sets a member that this version of the library does not have");
  std::memcpy(all, given, std::min(given_size, size));
}

void set(Where where, MLOperand& out, webnn_operand* x) { out = need(x, where).value; }
void set(Where, std::optional<MLOperand>& out, webnn_operand* x) {
  if (x) out = x->value;
}
void set(Where where, std::vector<MLOperand>& out, webnn_operand* const* operands,
         std::size_t length) {
  for (webnn_operand* x : list(operands, length, where)) out.push_back(need(x, where).value);
}
void set(Where where, MLNumber& out, const webnn_number& v) {
  if (v.kind != WEBNN_NUMBER_ABSENT) out = number(v, where);
}
void set(Where where, std::optional<MLNumber>& out, const webnn_number& v) {
  if (v.kind != WEBNN_NUMBER_ABSENT) out = number(v, where);
}
void set(Where where, Dims& out, webnn_dims v) {
  const auto all = list(v.data, v.length, where);
  if (v.data) out.assign(all.begin(), all.end());
}
void set(Where where, OptionalList<std::uint32_t>& out, webnn_dims v) {
  Dims all;
  set(where, all, v);
  if (v.data) out = std::move(all);
}
void set(Where where, std::vector<float>& out, webnn_floats v) {
  const auto all = list(v.data, v.length, where);
  if (v.data) out.assign(all.begin(), all.end());
}
void set(Where where, MLSplits& out, const webnn_splits& v) {
  if (!v.sizes.data) {
    out = v.count;
    return;
  }
  Dims sizes;
  set(where, sizes, v.sizes);
  out = std::move(sizes);
}

}  // namespace webnn::inline v0_1::c

using namespace webnn::c;
using webnn::MLOperandDataType;

webnn_string webnn_text_string(const webnn_text* text) {
  return to_c(text ? std::string_view(text->text) : "");
}
webnn_text* webnn_text_retain(webnn_text* text) { return retain(text); }
void webnn_text_release(webnn_text* text) { release(text); }

webnn_stop* webnn_stop_create(void) {
  try {
    return new webnn_stop;
  } catch (...) { return nullptr; }
}
void webnn_stop_request(webnn_stop* stop) {
  if (stop) stop->source.request_stop();
}
webnn_stop* webnn_stop_retain(webnn_stop* stop) { return retain(stop); }
void webnn_stop_release(webnn_stop* stop) { release(stop); }

webnn_string webnn_data_type_name(webnn_data_type type) {
  if (type < 0 || static_cast<std::size_t>(type) >= webnn::enum_names<MLOperandDataType>.size())
    return {};
  return to_c(name_of(static_cast<MLOperandDataType>(type)));
}
int32_t webnn_data_type_bits(webnn_data_type type) {
  if (webnn_data_type_name(type).length == 0) return 0;
  return webnn::bits_of(static_cast<MLOperandDataType>(type));
}

webnn_string webnn_version(void) { return to_c(webnn::version()); }
webnn_status webnn_byte_length(const webnn_descriptor* d, uint64_t* bytes, webnn_error** error) {
  return guarded(error, [&] {
    const Where where{"byteLength", "descriptor"};
    const std::uint64_t size = webnn::byte_length(descriptor(d, where));
    need(bytes, {"byteLength", "bytes"}) = size;
  });
}
