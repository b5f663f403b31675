#include "src/formats/executorch/import/moves.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

enum class Move { reshape, copy, permute, swap, transpose };

struct Row {
  std::string_view name;
  Move move;
};
constexpr Row rows[] = {
    {"executorch_prim::et_view.default", Move::reshape},
    {"aten::view_copy.out", Move::reshape},
    {"aten::squeeze_copy.dim_out", Move::reshape},
    {"aten::squeeze_copy.dims_out", Move::reshape},
    {"aten::unsqueeze_copy.out", Move::reshape},
    {"aten::_to_copy.out", Move::copy},
    {"aten::alias_copy.out", Move::copy},
    {"aten::clone.out", Move::copy},
    {"aten::detach_copy.out", Move::copy},
    {"dim_order_ops::_clone_dim_order.out", Move::copy},
    {"dim_order_ops::_to_dim_order_copy.out", Move::copy},
    {"aten::permute_copy.out", Move::permute},
    {"aten::transpose_copy.int_out", Move::swap},
    {"aten::t_copy.out", Move::transpose},
};
const Row* find(std::string_view name) {
  const auto* found = std::ranges::find(rows, name, &Row::name);
  return found == std::end(rows) ? nullptr : found;
}

/// One operator being imported.
class Mover {
 public:
  Mover(Import& import, const OperatorCall& call) : import_(import), call_(call) {}

  [[noreturn]] void refuse(const Failure& f) const {
    executorch::refuse(import_.source, {call_.name + ": " + f.message});
  }
  [[noreturn]] void unsupported(const Failure& f) const {
    executorch::unsupported(import_.source, {call_.name + ": " + f.message});
  }

  /// A number among the arguments, of a dimension of `rank`; it may be counted from the end.
  std::uint32_t dimension(const pte::EValue* value, std::uint32_t rank) const {
    const auto* i = value ? value->val_as_Int() : nullptr;
    if (!i) refuse(fail("a dimension is not a number"));
    const std::int64_t d = i->int_val() < 0 ? i->int_val() + rank : i->int_val();
    if (d < 0 || d >= rank) refuse(fail("dimension {} is not one of the {}", i->int_val(), rank));
    return static_cast<std::uint32_t>(d);
  }
  const pte::EValue* value(std::int64_t index) const {
    const auto* all = call_.plan.values();
    if (index < 0 || static_cast<std::uint64_t>(index) >= size_of(all))
      refuse(fail("an argument is value {}, but the method has {}", index, size_of(all)));
    return all->Get(static_cast<fb::uoffset_t>(index));
  }
  /// Which dimension of the operand each of the tensor's is.
  Dims permutation(Move move, std::uint32_t rank) const {
    Dims order(rank);
    std::iota(order.begin(), order.end(), 0u);
    const auto& args = call_.args;
    if (move == Move::permute) {
      // A list of numbers holds indices of values.
      const auto* list = args.size() < 3 ? nullptr : value(args[1])->val_as_IntList();
      if (!list || size_of(list->items()) != rank)
        refuse(fail("it has no list of {} dimensions", rank));
      std::uint32_t seen = 0;
      for (std::uint32_t i = 0; i < rank; ++i) {
        std::int64_t item = 0;  // the verifier sees to the alignment of smaller ones only
        std::memcpy(&item, list->items()->Data() + std::size_t{i} * 8, 8);
        order[i] = dimension(value(item), rank);
        seen |= 1u << order[i];
      }
      if (seen + 1 != 1u << rank) refuse(fail("{} is not a permutation", order));
    } else if (move == Move::swap) {
      if (args.size() < 4) refuse(fail("it has {} arguments", args.size()));
      std::swap(order[dimension(value(args[1]), rank)], order[dimension(value(args[2]), rank)]);
    } else if (rank > 2) {
      refuse(fail("its operand has {} dimensions, more than 2", rank));
    } else {
      std::ranges::reverse(order);
    }
    return order;
  }

  MLOperand transposed(const MLOperand& x, const Dims& order) const {
    if (std::ranges::is_sorted(order)) return x;
    MLGraphBuilder b = import_.builder;
    return b.transpose(x, {.permutation = order});
  }

 private:
  Import& import_;
  const OperatorCall& call_;
};

}  // namespace

bool is_supported(std::string_view name) { return find(name) != nullptr; }

MLOperand moved(Import& import, const OperatorCall& call, const MLOperand& given,
                const TensorInfo& from, const TensorInfo& to) {
  const Mover m(import, call);
  const Move move = find(call.name)->move;
  MLGraphBuilder b = import.builder;
  // In the order of the tensor's sizes.
  MLOperand x = m.transposed(given, from.order_of_sizes());
  if (move == Move::reshape) {
    const Dims shape = to.sizes();
    if (element_count(shape) != element_count(x.shape()))
      m.unsupported(fail("its result has shape {}, its operand {}", shape, x.shape()));
    if (x.shape() != shape) x = b.reshape(x, shape);
  } else if (move != Move::copy) {
    x = m.transposed(x, m.permutation(move, x.rank()));
  }
  if (x.rank() != to.order.size())
    m.refuse(
        fail("its result has {} dimensions, its operand has shape {}", to.order.size(), x.shape()));
  const MLOperandDataType type = to.descriptor.dataType;
  if (x.dataType() != type) {
    if (move != Move::copy || to.is_bool)
      m.unsupported(fail("its operand is {}, its result {}", x.dataType(), type));
    x = b.cast(x, type);
  }
  x = m.transposed(x, to.order);
  if (to.is_static && x.shape() != to.descriptor.shape && import.options.shapes.empty())
    m.refuse(fail("its result has shape {}, but should have {}", to.descriptor.shape, x.shape()));
  return x;
}

}  // namespace webnn::inline v0_1::executorch
