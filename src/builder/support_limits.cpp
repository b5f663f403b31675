#include "webnn/support_limits.h"

namespace webnn::inline v0_1 {
namespace {

/// The ranks that the rules allow for an operand, where infer() refuses some of the declaration.
template <class Op> ops::Ranks ranks_under(Rules rules, ops::Ranks declared) {
  const bool refuses_scalars = std::same_as<Op, ops::pad> && rules == Rules::tests2025;
  return {std::max(declared.min, refuses_scalars ? 1u : 0u), std::min(declared.max, max_rank)};
}

/// A row that shares the type or rank of another row gets the limits of that row.
template <class Op> MLOpSupportLimits::Entry entry(DataTypes supported, Rules rules) {
  MLOpSupportLimits::Entry e{Op::declaration.name, {}};
  const auto row_named = [&](std::string_view name) {
    return std::find_if(e.rows.begin(), e.rows.end(),
                        [&](const auto& r) { return r.name == name; });
  };
  ops::for_each_row<Op>([&]<class Row>(const Row& row) {
    if constexpr (requires { row.limits; }) {
      const ops::Limits& l = row.limits;
      MLTensorLimits t{l.types, ranks_under<Op>(rules, l.ranks)};
      if (e.rows.empty()) t.dataTypes = t.dataTypes & supported;
      if (!l.type_row.empty()) t.dataTypes = row_named(l.type_row)->limits.dataTypes;
      if (!l.rank_row.empty()) t.rankRange = row_named(l.rank_row)->limits.rankRange;
      e.rows.push_back({row.name, t});
    }
  });
  if (e.rows.front().limits.dataTypes == DataTypes{})
    for (auto& row : e.rows) row.limits.dataTypes = {};
  return e;
}

/// The operator that one on shapes becomes, if it is always the same.
constexpr std::string_view static_form(std::string_view name) {
  constexpr std::string_view dynamic = "Dynamic";
  if (name.ends_with(dynamic)) return name.substr(0, name.size() - dynamic.size());
  return name == "shape" || name == "rank" || name == "dimension" || name == "range" ? ""
                                                                                     : "reshape";
}
template <class Op> DataTypes supported_by(std::span<const DataTypes> supported) {
  constexpr std::string_view form = static_form(Op::declaration.name);
  if constexpr (form.empty()) {
    return types::stored;
  } else {
    constexpr auto& names = ops::AllOps::names;
    constexpr auto kind = std::find(names.begin(), names.end(), form) - names.begin();
    static_assert(kind < std::ssize(names));
    return supported[kind];
  }
}

}  // namespace

MLOpSupportLimits support_limits(std::span<const DataTypes> supported, Rules rules) {
  std::vector<DataTypes> everything;
  if (supported.empty()) {
    everything.assign(ops::AllOps::size, types::stored);
    supported = everything;
  }
  MLOpSupportLimits all;
  [&]<class... T>(ops::OpList<T...>) {
    std::size_t kind = 0;
    (all.entries_.push_back(entry<T>(supported[kind++], rules)), ...);
  }(ops::AllOps{});
  [&]<class... T>(ops::OpList<T...>) {
    (all.entries_.push_back(entry<T>(supported_by<T>(supported), rules)), ...);
  }(ops::ShapeOps{});
  return all;
}

const MLTensorLimits* MLOpSupportLimits::find(std::string_view op, std::string_view row) const {
  for (const Entry& e : entries_)
    if (e.op == op)
      for (const Row& r : e.rows)
        if (r.name == row) return &r.limits;
  return nullptr;
}

}  // namespace webnn::inline v0_1
