// webnn.TopK. Each row is selected by itself: a heap of k of its places where k is small, else a
// partition and a sort.
#include <cmath>
#include <numeric>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const MLOperandDescriptor& x = call.inputs[0];
  if (bits_of(x.dataType) < 8) refuse(fail("the data type of its operand is {}", x.dataType));
  const auto k = call.attribute<std::int64_t>("k");
  Dims shape = x.shape;
  const std::uint32_t axis = axis_of(call, shape);
  if (k < 1 || k > shape[axis])
    refuse(fail("k ({}) is not from 1 to the size ({}) of axis {}", k, shape[axis], axis));
  shape[axis] = static_cast<std::uint32_t>(k);
  const auto type = call.attribute<std::string>("indexType");
  if (type != "int64" && type != "int32")
    refuse(fail("indexType (\"{}\") is neither int64 nor int32", escaped(type)));
  return {{x.dataType, shape}, {type == "int64" ? int64 : int32, shape}};
}

template <class T> bool is_nan(T v) {
  if constexpr (std::floating_point<T>) return std::isnan(v);
  else return false;
}

/// Before which places a place comes.
template <class T> struct Order {
  const Number<T>* x;
  bool largest;

  bool operator()(std::int32_t a, std::int32_t b) const {
    const Number<T> v = x[a], w = x[b];
    const bool v_nan = is_nan(v), w_nan = is_nan(w);
    if (v_nan || w_nan) {
      if (v_nan != w_nan) return v_nan == largest;
      return a < b;
    }
    if (v != w) return largest ? v > w : v < w;
    return a < b;
  }
};

/// The first k places of a row in their order; there is room for all n.
template <class T> void select(std::int32_t* places, std::size_t n, std::size_t k, Order<T> order) {
  std::iota(places, places + n, 0);
  if (k * 8 <= n) {
    std::partial_sort(places, places + k, places + n, order);
  } else {
    if (k < n) std::nth_element(places, places + k, places + n, order);
    std::sort(places, places + k, order);
  }
}

struct Form {
  Around around;
  std::size_t k;
  bool largest, wide;  // indices of 64 bits
};

template <class T>
void run_row(const Form& f, std::size_t row, const Buffers& b, std::byte* scratch) {
  const auto& [outer, n, inner] = f.around;
  auto* x = reinterpret_cast<Number<T>*>(scratch);
  auto* places = reinterpret_cast<std::int32_t*>(x + n);
  const std::size_t place = row / inner, column = row % inner;
  const T* from = b.in<T>() + place * n * inner + column;
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<Number<T>>(from[i * inner]);
  select<T>(places, n, f.k, {x, f.largest});
  const std::size_t to = place * f.k * inner + column;
  for (std::size_t i = 0; i < f.k; ++i) {
    const std::int32_t at = places[i];
    b.out<T>(0)[to + i * inner] = from[static_cast<std::size_t>(at) * inner];
    if (f.wide) b.out<std::int64_t>(1)[to + i * inner] = at;
    else b.out<std::int32_t>(1)[to + i * inner] = at;
  }
}

Lowering lower(const CustomCall& call) {
  const MLOperandDescriptor& x = call.inputs[0];
  const Form f{Around(x.shape, axis_of(call, x.shape)), call.attribute<std::size_t>("k"),
               call.attribute<bool>("largest"), call.outputs[1].dataType == int64};
  const std::size_t rows = f.around.outer * f.around.inner;
  const int each = rows_of_a_tile(4 * f.around.size);
  return with_type(x.dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return Candidate{
        .name = "top_k",
        .tiles = tiles_of(rows, each),
        .scratch = f.around.size * (sizeof(Number<T>) + sizeof(std::int32_t)),
        .run = [=](Range r, const Buffers& b, std::byte* scratch) {
          const auto end =
              std::min(rows, static_cast<std::size_t>(r.end) * static_cast<std::size_t>(each));
          for (auto row = static_cast<std::size_t>(r.begin) * static_cast<std::size_t>(each);
               row < end; ++row)
            run_row<T>(f, row, b, scratch);
        }};
  });
}

}  // namespace

const Definition& top_k() {
  static const Definition one = custom_operator(
      {.name = "webnn.TopK",
       .attributes = {{"k", {}}, {"axis", -1}, {"largest", true}, {"indexType", "int64"}},
       .infer = &infer,
       .compute = computed_by(&lower),
       .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
