// From the values of the C interface to those of the library.
#pragma once

#include "bindings/c/src/errors.h"

namespace webnn::inline v0_1::c {

std::string text(webnn_string s, Where where);
MLOperandDescriptor descriptor(const webnn_descriptor* d, Where where);
MLDimensions dimensions(const webnn_dimension* all, std::size_t length, Where where);
/// Their names are valid as long as those of the caller.
std::vector<NamedShape> named_shapes(const webnn_named_dims* all, std::size_t length, Where where);
/// Throws TypeError for a kind that there is not, and for an absent number.
MLNumber number(const webnn_number& v, Where where);
inline std::span<const std::byte> bytes(const void* data, std::size_t size, Where where) {
  return list(static_cast<const std::byte*>(data), size, where);
}
webnn_text* new_text(std::string s);

/// Options of a caller that may know fewer members than the library, or more of them, which then
/// have to be zero.
void copy_options(const void* given, std::size_t given_size, void* all, std::size_t size,
                  Where where);
template <class Options>
Options complete(const Options* given, const Options& defaults, std::string_view function) {
  Options all = defaults;
  if (given) copy_options(given, given->struct_size, &all, sizeof all, {function, "options"});
  return all;
}

// set(): an argument or a member of options becomes a member of an operator. What is absent leaves
// the default.

void set(Where where, MLOperand& out, webnn_operand* x);
void set(Where where, std::optional<MLOperand>& out, webnn_operand* x);
void set(Where where, std::vector<MLOperand>& out, webnn_operand* const* list, std::size_t length);
inline void set(Where, bool& out, std::int32_t v) { out = v != 0; }
inline void set(Where, std::uint32_t& out, std::uint32_t v) { out = v; }
inline void set(Where, std::int32_t& out, std::int32_t v) { out = v; }
inline void set(Where, double& out, double v) { out = v; }
void set(Where where, MLNumber& out, const webnn_number& v);
void set(Where where, std::optional<MLNumber>& out, const webnn_number& v);
void set(Where where, Dims& out, webnn_dims v);
void set(Where where, OptionalList<std::uint32_t>& out, webnn_dims v);
void set(Where where, std::vector<float>& out, webnn_floats v);
void set(Where where, MLSplits& out, const webnn_splits& v);
template <NamedEnum E> void set(Where where, E& out, std::int32_t v) {
  if (v < 0 || static_cast<std::size_t>(v) >= enum_names<E>.size())
    where.reject("(" + std::to_string(v) + ") is not one of its enumerators");
  out = static_cast<E>(v);
}
template <NamedEnum E> void set(Where where, OptionalList<E>& out, webnn_enums v) {
  if (!v.data && !v.length) return;
  std::vector<E> all;
  for (const std::int32_t e : list(v.data, v.length, where)) set(where, all.emplace_back(), e);
  out = std::move(all);
}

}  // namespace webnn::inline v0_1::c
