#include "src/kernels/common/loop.h"
#include "src/kernels/reference/move.h"

namespace webnn::reference {
namespace {

template <class T> Run select(const Loop<3>& loop, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const std::uint8_t* condition = b.in<std::uint8_t>(0);
    const T *yes = b.in<T>(1), *no = b.in<T>(2);
    T* y = b.out<T>();
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      const std::uint8_t* pc = condition + at[0];
      const T *pt = yes + at[1], *pf = no + at[2];
      T* out = y + i;
      const auto each = [&](std::ptrdiff_t sc, std::ptrdiff_t st, std::ptrdiff_t sf) {
        for (std::ptrdiff_t k = 0; k < static_cast<std::ptrdiff_t>(n); ++k) {
          const T t = pt[k * st], f = pf[k * sf];
          out[k] = pc[k * sc] ? t : f;
        }
      };
      // Constant strides, so that the compiler can vectorize.
      const auto [sc, st, sf] = loop.step;
      if (sc == 0 && st == 1 && sf == 1) std::memmove(out, *pc ? pt : pf, n * sizeof(T));
      else if (sc == 1 && st == 1 && sf == 1) each(1, 1, 1);
      else if (sc == 1 && st == 1 && sf == 0) each(1, 1, 0);
      else if (sc == 1 && st == 0 && sf == 1) each(1, 0, 1);
      else if (sc == 1 && st == 0 && sf == 0) each(1, 0, 0);
      else each(sc, st, sf);
    });
  };
}

Kernel make(const ops::where& op, const Node& node) {
  const Dims& shape = node.output().shape();
  const MLOperand* const operands[] = {&op.condition, &op.trueValue, &op.falseValue};
  std::array<std::array<std::ptrdiff_t, max_rank>, 3> strides;
  Kernel k{.name = "loop"};
  for (int i = 0; i < 3; ++i) {
    const MLOperand& x = *operands[i];
    strides[static_cast<std::size_t>(i)] = broadcast_strides(x.shape(), shape);
    if (x.shape() == shape && bits_of(x.dataType()) == bits_of(node.output().dataType()))
      k.in_place.push_back(i);
  }
  const Loop<3> loop(shape, strides);
  const Partition c = partition(element_count(shape), 2, 64);
  k.tiles = c.tiles();
  k.run = dispatch_type<types::any>(op.trueValue.dataType(),
                                    [&]<class T>() { return select<T>(loop, c); });
  return k;
}

}  // namespace

Table<ops::WhereSection> kernels(ops::WhereSection) {
  return table<ops::WhereSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
