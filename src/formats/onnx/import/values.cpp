// Values of a node's inputs that have to be known, or to follow from shapes.
#include <cstring>

#include "src/formats/onnx/import/call.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1::onnx {

using formats::folded;
using formats::max_folded;

std::optional<MLOperand> Call::known_operand(const MLOperand& x) const {
  if (x.constant()) return x;
  if (auto k = folded(x, b)) return k;
  const auto& partial = scope_.import().partial;
  return partial ? partial->constant(x) : std::nullopt;
}

Constant Call::known(const MLOperand& x, std::string_view what) const {
  Import& import = scope_.import();
  const bool sized = import.partial && import.partial->follows_from_shapes(x);
  if (!x.constant() && !x.is_open() && element_count(x.shape()) > max_folded)
    unsupported(fail("{} has to be known, but has {} elements, more than {}", what,
                     element_count(x.shape()), max_folded));
  if (const auto constant = known_operand(x)) return *constant->constant();
  if (sized)
    unsupported(
        fail("{} has to be known, but follows from {}: {}", what, open_dimensions(x), give_a_size));
  std::vector<std::string> names;
  for (const MLOperand& input : sources_of(x)) names.push_back(input.record().name);
  bool available = !names.empty();
  for (const std::string& name : names) available = available && import.options.values.count(name);
  if (available) {
    import.wanted_inputs.insert(names.begin(), names.end());
    throw NeedsInput();
  }
  if (names.empty())
    unsupported(
        fail("{} has to be known, but follows from the iterations of a loop on data", what));
  import.unknown_inputs.insert(names.begin(), names.end());
  const std::string inputs = joined(sources_of(x), ", ", [](const MLOperand& input) {
    return format("{} ({} {})",
                  {in_quotes(input.record().name), input.dataType(), shape_text(input)});
  });
  unsupported(
      fail("{} has to be known, but follows from the model's input {}: give its value to the "
           "import, in the option values",
           what, inputs));
}

bool Call::follows_from_sizes(std::size_t i) const {
  const auto& partial = scope_.import().partial;
  return partial && !empty(i) && !is_known(i) && partial->follows_from_shapes(x(i));
}

bool Call::is_known(std::size_t i) const { return empty(i) || known_operand(x(i)).has_value(); }

bool Call::can_be_known(std::size_t i) const { return empty(i) || can_be_known(x(i)); }

bool Call::can_be_known(const MLOperand& x) const {
  if (known_operand(x)) return true;
  const std::vector<MLOperand> sources = sources_of(x);
  const auto is_given = [&](const MLOperand& input) {
    return scope_.import().options.values.count(input.record().name) > 0;
  };
  return !sources.empty() && std::ranges::all_of(sources, is_given);
}

namespace {

template <class To> std::vector<To> converted(Bytes bytes, MLOperandDataType type) {
  std::vector<To> out;
  const auto each = [&]<class From>(From) {
    for (std::size_t k = 0; k + sizeof(From) <= bytes.size(); k += sizeof(From)) {
      From v{};
      std::memcpy(&v, &bytes[k], sizeof v);
      out.push_back(static_cast<To>(v));
    }
  };
  switch (type) {
    case int64: each(std::int64_t{}); break;
    case uint64: each(std::uint64_t{}); break;
    case int32: each(std::int32_t{}); break;
    case uint32: each(std::uint32_t{}); break;
    case int8: each(std::int8_t{}); break;
    case uint8: each(std::uint8_t{}); break;
    case float32:
      if constexpr (std::is_floating_point_v<To>) each(float{});
      break;
    case float16:
      if constexpr (std::is_floating_point_v<To>) each(Float16{});
      break;
    case bfloat16:
      if constexpr (std::is_floating_point_v<To>) each(BFloat16{});
      break;
    case float8e4m3:
      if constexpr (std::is_floating_point_v<To>) each(Float8E4M3{});
      break;
    default: break;
  }
  return out;
}

std::string input_name(const Node& node, std::size_t i) {
  return format("its input {} ({})", {i, in_quotes(node.inputs[i])});
}

}  // namespace

void Call::require_integers(std::size_t i) const {
  const MLOperandDataType t = x(i).dataType();
  if (is_float(t) || bits_of(t) < 8)
    refuse(fail("{} is {}, not an integer", input_name(node_, i), t));
}
SizeList Call::list(std::size_t i) const {
  if (!follows_from_sizes(i)) {
    const Ints known = ints(i);
    return {known.begin(), known.end()};
  }
  require_integers(i);
  const MLOperand y = x(i);
  if (y.rank() > 1) refuse(fail("{} has rank {}, not 1", input_name(node_, i), y.rank()));
  return scope_.import().partial->list(y);
}
Size Call::size(std::size_t i) const {
  const SizeList all = list(i);
  if (all.size() != 1) refuse(fail("{} has {} elements, not 1", input_name(node_, i), all.size()));
  return all[0];
}
Ints Call::ints(std::size_t i) const {
  if (empty(i)) return {};
  require_integers(i);
  const MLOperand y = x(i);
  const MLOperandDataType t = y.dataType();
  return converted<std::int64_t>(known(y, input_name(node_, i)).bytes(), t);
}
void Call::check_places(std::size_t i, const SizeList& sizes) const {
  const MLOperand y = x(i);
  if (sizes.empty() || !y.constant() || is_float(y.dataType())) return;
  const Ints places = ints(i);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Size& whole = sizes[k % sizes.size()];
    if (!whole.is_known()) continue;
    const std::int64_t size = whole.number();
    if (places[k] < -size || places[k] >= size)
      refuse(fail("{}: the index {} is not within a dimension of {}", input_name(node_, i),
                  places[k], size));
  }
}
std::int64_t Call::integer(std::size_t i) const {
  const Ints list = ints(i);
  if (list.size() != 1)
    refuse(fail("{} has {} elements, not 1", input_name(node_, i), list.size()));
  return list[0];
}
std::vector<double> Call::reals(std::size_t i) const {
  if (empty(i)) return {};
  const MLOperand y = x(i);
  return converted<double>(known(y, input_name(node_, i)).bytes(), y.dataType());
}
double Call::real(std::size_t i) const {
  const auto list = reals(i);
  if (list.size() != 1)
    refuse(fail("{} has {} elements, not 1", input_name(node_, i), list.size()));
  return list[0];
}

}  // namespace webnn::inline v0_1::onnx
