// The methods of MLGraphBuilder for all operators, derived from their declarations.
#include <algorithm>

#include "convert.h"
#include "object.h"

namespace webnn::node {
namespace {

/// Reads one value into its place in an operator.
template <class Op> struct Slot {
  std::string_view name;
  void (*read)(const Napi::Value&, Op&, const Where&);
};

/// The two integers of the spec without [EnforceRange].
template <class Op> constexpr bool wraps(std::string_view name) {
  const std::string_view op = Op::declaration.name;
  return (op == "cumulativeSum" && name == "axis") || (op == "tile" && name == "repetitions");
}

template <class Op, auto M> void read(const Napi::Value& value, Op& op, const Where& where) {
  auto& out = ops::get(op, M);
  if constexpr (std::same_as<decltype(out), std::uint32_t&>) {
    if (wraps<Op>(where.name)) {
      out = to_wrapped(value);
      return;
    }
  } else if constexpr (std::same_as<decltype(out), Dims&>) {
    if (wraps<Op>(where.name)) {
      for_each_item(value, where,
                    [&](Napi::Value item, std::int64_t) { out.push_back(to_wrapped(item)); });
      return;
    }
  }
  convert(value, out, where);
}

template <class Op> struct Slots {
  std::vector<Slot<Op>> arguments, options;

  template <auto M> void add(std::string_view name) {
    (ops::is_required<Op>(M) ? arguments : options).push_back({name, &read<Op, M>});
  }
  template <auto M> void operator()(const ops::Operand<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Attribute<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Output<M>&) {}

  Slots() {
    ops::for_each_row<Op>(*this);
    // Members of a dictionary are read in the order of their names, inherited ones first.
    std::sort(options.begin(), options.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
};
template <class Op> const Slots<Op>& slots() {
  static const Slots<Op> all;
  return all;
}

Napi::Value to_js(Napi::Env env, MLOperand operand) { return make(env, std::move(operand)); }
Napi::Value to_js(Napi::Env env, const std::vector<MLOperand>& operands) {
  Napi::Array list = Napi::Array::New(env, operands.size());
  for (std::uint32_t i = 0; i < operands.size(); ++i) list.Set(i, make(env, operands[i]));
  return list;
}

/// The names of the 2023 draft, for members that have none of today's.
std::string_view older_name(std::string_view name) {
  return name == "outputShapeRounding" ? "roundingType" : std::string_view();
}

Napi::Value member_of(const Napi::Object& options, std::string_view name) {
  const Napi::Value v = options.Get(std::string(name));
  const std::string_view older = older_name(name);
  return v.IsUndefined() && !older.empty() ? options.Get(std::string(older)) : v;
}

template <class Op> Napi::Value call(const Napi::CallbackInfo& info) {
  constexpr std::string_view name = Op::declaration.name;
  MLGraphBuilder builder = self<MLGraphBuilder>(info).value;
  const Slots<Op>& s = slots<Op>();
  require_arguments(info, name, s.arguments.size());
  Op op{};
  for (std::size_t i = 0; i < s.arguments.size(); ++i)
    s.arguments[i].read(info[i], op, {name, s.arguments[i].name});
  if (const auto options = to_dictionary(info[s.arguments.size()], {name, "options"})) {
    member(*options, "label", op.options.label, name);
    for (const Slot<Op>& slot : s.options)
      if (const Napi::Value v = member_of(*options, slot.name); !v.IsUndefined())
        slot.read(v, op, {name, slot.name});
  }
  return to_js(info.Env(), builder.append(std::move(op)));
}

}  // namespace

void add_operators(InterfaceMaker& builder) {
  [&]<class... Op>(ops::OpList<Op...>) {
    (builder.method<&call<Op>>(Op::declaration.name,
                               static_cast<int>(slots<Op>().arguments.size())),
     ...);
  }(ops::AllOps{});
}

}  // namespace webnn::node
