#include "src/lm/model/hyperparameters.h"

#include <algorithm>
#include <cmath>

namespace webnn::inline v0_1::lm {
namespace {

struct Require {
  const std::string& label;

  void operator()(bool is_right, std::string_view what, double value) const {
    if (!is_right)
      raise({format("{} ({}) is not possible", {what, value}), ErrorName::DataError}, "lm", label);
  }
};

}  // namespace

std::vector<double> Rotary::frequencies() const {
  std::vector<double> f(size / 2);
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i] = std::pow(base, -2 * static_cast<double>(i) / size) / scale;
    if (i < divisors.size()) f[i] /= divisors[i];
  }
  return f;
}

void Hyperparameters::set_capacity(std::uint32_t asked) {
  if (asked > contextLength)
    raise(fail("capacity ({}) is beyond the context of the model ({})", asked, contextLength), "lm",
          label);
  capacity = asked != 0 ? asked : std::min(contextLength, 4096u);
}

void Hyperparameters::check_sizes() const {
  const Require require{label};
  constexpr std::uint32_t most = 1 << 20;
  require(layers >= 1 && layers <= 4096, "the number of layers", layers);
  require(width >= 1 && width <= most, "the width", width);
  require(heads >= 1 && heads <= most, "the number of heads", heads);
  require(keyHeads >= 1 && heads % keyHeads == 0, "the number of heads of keys", keyHeads);
  require(headSize >= 1 && std::uint64_t{headSize} * heads <= most, "the size of a head", headSize);
  require(contextLength >= 1, "the length of the context", contextLength);
  require(std::isfinite(epsilon) && epsilon >= 0, "the epsilon of normalization", epsilon);
}

void Hyperparameters::check_rotary() const {
  const Require require{label};
  for (const Rotary* r : {&rotary, &localRotary}) {
    require(r->size <= headSize && r->size % 2 == 0, "the number of rotated elements", r->size);
    require(std::isfinite(r->base) && r->base > 0, "the base of the rotation", r->base);
    require(std::isfinite(r->scale) && r->scale > 0, "the scale of the rotation", r->scale);
    require(std::isfinite(r->magnitude), "the magnitude of the rotation", r->magnitude);
    if (!r->divisors.empty())
      require(r->divisors.size() == r->size / 2, "the number of factors of the rotation",
              static_cast<double>(r->divisors.size()));
    for (const double d : r->divisors)
      require(std::isfinite(d) && d > 0, "a factor of the rotation", d);
  }
}

}  // namespace webnn::inline v0_1::lm
