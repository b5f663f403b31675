// The options of a custom operator that a handler reads. Private.
#pragma once

#include <cmath>

#include "src/formats/tflite/import/call.h"
#include "src/formats/tflite/options.h"

namespace webnn::inline v0_1::tflite {

/// The options of a custom operator, by name.
class CustomOptionsOf {
 public:
  explicit CustomOptionsOf(const Call& c) : c_(c) {
    auto all = attributes_from(std::as_bytes(c.custom_options()));
    if (!all) c.refuse(all.failure());
    all_ = std::move(*all);
  }

  double real(std::string_view name, std::optional<double> fallback = {}) const {
    const CustomValue* v = all_.find(name);
    if (!v && fallback) return *fallback;
    if (!v) c_.refuse(fail("its options have no {}", name));
    if (const auto* x = std::get_if<double>(v)) return *x;
    if (const auto* n = std::get_if<std::int64_t>(v)) return static_cast<double>(*n);
    if (const auto* b = std::get_if<bool>(v)) return *b ? 1 : 0;
    c_.refuse(fail("its option {} is not a number", name));
  }
  std::int64_t integer(std::string_view name, std::optional<double> fallback = {}) const {
    const double v = real(name, fallback);
    if (!(v == std::floor(v)) || std::abs(v) > 0x7fffffff)
      c_.refuse(fail("its option {} is {}", name, v));
    return static_cast<std::int64_t>(v);
  }

  std::vector<std::int64_t> integers(std::string_view name) const {
    const CustomValue* v = all_.find(name);
    const auto* list = v ? std::get_if<std::vector<std::int64_t>>(v) : nullptr;
    if (!list) c_.refuse(fail("its options have no list {}", name));
    return *list;
  }

 private:
  const Call& c_;
  CustomAttributes all_{};
};

}  // namespace webnn::inline v0_1::tflite
