// The methods of MLGraphBuilder for all operators, derived from their declarations.
#include <algorithm>

#include "convert.h"
#include "object.h"
#include "older_forms.h"

namespace webnn::inline v0_1::node {
namespace {

using draft2023::MLActivation;

/// An operator, and the activations of the 2023 draft that replace the option of that name.
template <class Op> struct Given {
  Op op{};
  draft2023::Activations activations = std::nullopt;
};

/// Reads one value into a member of an operator.
template <class Op> struct Slot {
  std::string_view name;
  void (*read)(const Napi::Value&, Given<Op>&, const Where&);
};

/// The two integer arguments of the spec without [EnforceRange].
template <class Op> constexpr bool wraps(std::string_view name) {
  const std::string_view op = Op::declaration.name;
  return (op == "cumulativeSum" && name == "axis") || (op == "tile" && name == "repetitions");
}

/// Enumerators, or activations of the 2023 draft.
template <class Op>
void read_activations(const Napi::Value& value, Given<Op>& given, const Where& where) {
  std::vector<MLActivation> objects;
  std::vector<MLRecurrentNetworkActivation> names;
  for_each_item(value, where, [&](Napi::Value item, std::int64_t i) {
    if (const auto* n = native<MLActivation>(item)) objects.push_back(n->value);
    else convert(item, names.emplace_back(), where.at(i));
  });
  if (!objects.empty() && !names.empty()) where.reject("has both names and objects");
  if (!objects.empty()) given.activations = std::move(objects);
  else given.op.options.activations = std::move(names);
}

template <class Op, auto M>
void read(const Napi::Value& value, Given<Op>& given, const Where& where) {
  auto& out = ops::get(given.op, M);
  if constexpr (std::same_as<decltype(out), Activations&>) {
    read_activations(value, given, where);
    return;
  }
  if constexpr (std::same_as<decltype(out), std::uint32_t&>) {
    if (wraps<Op>(where.name)) {
      out = to_wrapped(value, where);
      return;
    }
  } else if constexpr (std::same_as<decltype(out), Dims&>) {
    if (wraps<Op>(where.name)) {
      for_each_item(value, where, [&](Napi::Value item, std::int64_t i) {
        out.push_back(to_wrapped(item, where.at(i)));
      });
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

/// The name that an option had in the 2023 draft, or an empty one.
std::string_view older_name(std::string_view name) {
  return name == "outputShapeRounding" ? "roundingType" : std::string_view();
}

Napi::Value member_of(const Napi::Object& options, std::string_view name, bool older_forms) {
  const Napi::Value v = options.Get(std::string(name));
  const std::string_view older = older_forms ? older_name(name) : std::string_view();
  return v.IsUndefined() && !older.empty() ? options.Get(std::string(older)) : v;
}

template <class Op>
void read_options(const std::optional<Napi::Object>& options, Given<Op>& given, bool older_forms) {
  constexpr std::string_view name = Op::declaration.name;
  if (!options) return;
  member(*options, "label", given.op.options.label, name);
  for (const Slot<Op>& slot : slots<Op>().options)
    if (const Napi::Value v = member_of(*options, slot.name, older_forms); !v.IsUndefined())
      slot.read(v, given, {name, slot.name});
}

/// An activation of the 2023 draft: the operator without its operand.
template <class Op> Napi::Value activation(const Napi::CallbackInfo& info) {
  Given<Op> given;
  read_options(to_dictionary(info[0], {Op::declaration.name, "options"}), given, true);
  if constexpr (std::same_as<Op, ops::softmax>)
    return make(info.Env(), draft2023::softmax_activation());
  else return make(info.Env(), MLActivation(std::move(given.op)));
}

template <class Op> auto append(MLGraphBuilder& builder, Given<Op> given) {
  if constexpr (is_recurrent<Op>)
    if (given.activations)
      return draft2023::append(builder, std::move(given.op), given.activations);
  return builder.append(std::move(given.op));
}

/// Whether the call is one without an axis: overloads are told apart by their second argument, a
/// dictionary or a number. https://webidl.spec.whatwg.org/#es-overloads
bool lacks_axis(const Napi::CallbackInfo& info) {
  const Napi::Value second = info[1];
  return info.Length() == 1 ||
         (info.Length() == 2 && (second.IsUndefined() || second.IsNull() || second.IsObject()));
}

/// Along the rows of a matrix.
template <class Op>
Napi::Value call_without_axis(const Napi::CallbackInfo& info, MLGraphBuilder& builder) {
  constexpr std::string_view name = Op::declaration.name;
  Given<Op> given;
  convert(info[0], given.op.input, {name, "input"});
  read_options(to_dictionary(info[1], {name, "options"}), given, true);
  if (const auto rank = given.op.input.rank(); rank != 2)
    throw TypeError(
        name, given.op.options.label,
        "the rank (" + std::to_string(rank) + ") of input is not 2, as it must be without an axis");
  given.op.axis = 1;
  return to_js(info.Env(), builder.append(std::move(given.op)));
}

template <class Op> Napi::Value call(const Napi::CallbackInfo& info) {
  constexpr std::string_view name = Op::declaration.name;
  auto& n = self<MLGraphBuilder>(info);
  MLGraphBuilder builder = n.value;
  const bool older_forms = has_older_forms(builder.context());
  if constexpr (is_activation<Op>)
    if (n.draft2023 && info.Length() <= 1 && !native<MLOperand>(info[0]))
      return activation<Op>(info);
  if constexpr (has_optional_axis<Op>)
    if (older_forms && lacks_axis(info)) return call_without_axis<Op>(info, builder);
  const Slots<Op>& s = slots<Op>();
  require_arguments(info, name, s.arguments.size());
  Given<Op> given;
  for (std::size_t i = 0; i < s.arguments.size(); ++i)
    s.arguments[i].read(info[i], given, {name, s.arguments[i].name});
  const auto options = to_dictionary(info[s.arguments.size()], {name, "options"});
  read_options(options, given, older_forms);
  std::optional<MLActivation> after;
  if constexpr (is_activated<Op>)
    if (n.draft2023 && options)
      if (const Napi::Value v = options->Get("activation"); !v.IsUndefined()) {
        const auto* a = native<MLActivation>(v);
        if (!a) Where{name, "activation"}.reject("is not an MLActivation");
        after = a->value;
      }
  auto result = append(builder, std::move(given));
  if constexpr (is_activated<Op>)
    if (after) result = after->apply(builder, result);
  return to_js(info.Env(), result);
}

}  // namespace

void add_operators(InterfaceMaker& builder) {
  [&]<class... Op>(ops::OpList<Op...>) {
    (builder.method<&call<Op>>(Op::declaration.name,
                               static_cast<int>(slots<Op>().arguments.size())),
     ...);
  }(ops::DeclaredOps{});
}

}  // namespace webnn::inline v0_1::node
