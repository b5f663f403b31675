#include <cmath>
#include <cstring>

#include "src/graph/failure.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::shape {
namespace {

/// f(element) for each element of a constant of one of types::ranges.
template <class F> void for_each_element(const MLOperand& x, F&& f) {
  const std::span<const std::byte> bytes = x.constant()->bytes();
  const auto visit = [&]<class T>(T value) {
    for (std::size_t i = 0; i < element_count(x.shape()); ++i) {
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      f(value);
    }
  };
  switch (x.dataType()) {
    case float32: return visit(float{});
    case int32: return visit(std::int32_t{});
    case uint32: return visit(std::uint32_t{});
    case int64: return visit(std::int64_t{});
    case uint64: return visit(std::uint64_t{});
    default: return;
  }
}

Check check_constant(const MLOperand& x, std::string_view name) {
  if (x.constant()) return {};
  return fail("{} does not follow from shapes and constants alone", name);
}

/// How many numbers there are; `Wide` holds the differences of T.
template <class T> Result<std::uint64_t> count(T start, T limit, T delta) {
  if (delta == 0) return fail("delta is zero");
  double exact = 0;
  if constexpr (std::is_floating_point_v<T>) {
    exact = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                      static_cast<double>(delta));
    if (!std::isfinite(exact))
      return fail("there is no number of steps of delta ({}) from start ({}) to limit ({})", delta,
                  start, limit);
  } else {
    __extension__ using Wide = __int128;
    const Wide way = static_cast<Wide>(limit) - static_cast<Wide>(start), step = delta;
    if (way == 0 || (way < 0) != (step < 0)) exact = 0;
    else exact = static_cast<double>((way + step + (step < 0 ? 1 : -1)) / step);
  }
  if (!(exact >= 1))
    return fail("there are no numbers from start ({}) by delta ({}) before limit ({})", start,
                delta, limit);
  return static_cast<std::uint64_t>(std::min(exact, 1e18));
}

}  // namespace

Result<Dims> values(const MLOperand& x, std::string_view name) {
  if (auto bad = check_constant(x, name)) return *bad;
  Dims all;
  Check bad;
  for_each_element(x, [&](auto value) {
    if (!bad && !(value >= 0 && static_cast<double>(value) <= max_dimension))
      bad = fail("{}[{}] ({}) is not between 0 and {}", name, all.size(), value, max_dimension);
    all.push_back(bad ? 0 : static_cast<std::uint32_t>(value));
  });
  if (bad) return *bad;
  return all;
}

Result<std::uint64_t> range_count(const MLOperand& start, const MLOperand& limit,
                                  const MLOperand& delta) {
  for (const auto& [name, x] :
       {std::pair("start", start), std::pair("limit", limit), std::pair("delta", delta)})
    if (auto bad = check_constant(x, name)) return *bad;
  Result<std::uint64_t> result = std::uint64_t{0};
  for_each_element(start, [&]<class T>(T from) {
    T to{}, by{};
    std::memcpy(&to, limit.constant()->bytes().data(), sizeof(T));
    std::memcpy(&by, delta.constant()->bytes().data(), sizeof(T));
    result = count(from, to, by);
  });
  return result;
}

}  // namespace webnn::inline v0_1::shape
