// Dimensions of inputs that each run chooses.
// https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

/// A dimension with a name instead of a size. In a run, dimensions with one name have one size. The
/// bounds are an extension: a run refuses sizes beyond them. A minSize of 0 admits an empty tensor,
/// such as the cache of a language model before its first token.
struct MLDynamicDimension {
  std::string name{};                   ///< not empty
  std::uint32_t minSize = 1;            ///< the smallest size of a run
  std::uint32_t maxSize = 0x7fff'ffff;  ///< the largest size of a run
  bool operator==(const MLDynamicDimension&) const = default;
};

/// A size, or a name: `{1, "sequence"}`.
struct MLDimension : std::variant<std::uint32_t, MLDynamicDimension> {
  MLDimension() = default;
  /// Sizes beyond 32 bits become the largest number, which every check refuses.
  template <std::integral T>
  MLDimension(T size)
      : variant(std::in_range<std::uint32_t>(size) ? static_cast<std::uint32_t>(size)
                                                   : 0xffff'ffffu) {}
  MLDimension(const char* name) : variant(MLDynamicDimension{name}) {}
  MLDimension(std::string name) : variant(MLDynamicDimension{std::move(name)}) {}
  MLDimension(MLDynamicDimension dimension) : variant(std::move(dimension)) {}

  /// Whether it has a name instead of a size.
  bool is_open() const { return index() == 1; }
  std::uint32_t size() const { return is_open() ? 0 : std::get<0>(*this); }  ///< 0: it is open
  const MLDynamicDimension& dynamic() const { return std::get<1>(*this); }   ///< if it is open
};

/// The dimensions of an input or of what follows from inputs.
struct MLDimensions : std::vector<MLDimension> {
  using vector::vector;
  MLDimensions() = default;
  MLDimensions(const Dims& sizes) : vector(sizes.begin(), sizes.end()) {}

  bool are_open() const {
    return std::any_of(begin(), end(), [](const MLDimension& d) { return d.is_open(); });
  }
  /// The sizes, with 0 for those that are open.
  Dims sizes() const {
    Dims all;
    for (const MLDimension& d : *this) all.push_back(d.size());
    return all;
  }
};

}  // namespace webnn::inline v0_1
