#include "src/graph/op.h"

#include "src/graph/failure.h"
#include "src/graph/known.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1 {
namespace {

/// What is known about each kind, derived from its declaration; of kinds that this build does not
/// know the name and the label, for messages.
struct Kind {
  std::string_view name;
  std::string_view (*label)(const void*);
  std::shared_ptr<void> (*take)(void*) = nullptr;
  std::shared_ptr<void> (*clone)(const void*) = nullptr;
  void (*operands)(const void*, std::vector<const MLOperand*>&) = nullptr;
  void (*round_numbers)(void*, MLOperandDataType) = nullptr;
};

template <class T> void collect(const void* op, std::vector<const MLOperand*>& out) {
  ops::for_each_operand(*static_cast<const T*>(op), [&](const auto&, const auto& value) {
    ops::each(value, [&](const MLOperand& x) { out.push_back(&x); });
  });
}
template <class T> void round_all(void* op, MLOperandDataType type) {
  ops::for_each_attribute(*static_cast<T*>(op), [&](const auto&, auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double>) value = MLNumber(value).to(type).as_double();
    else if constexpr (std::is_same_v<Value, MLNumber>) value = value.to(type);
    else if constexpr (std::is_same_v<Value, std::optional<MLNumber>>)
      if (value) value = value->to(type);
  });
}
template <ops::Operator T> constexpr Kind row() {
  Kind row{.name = T::declaration.name, .label = [](const void* p) -> std::string_view {
             return static_cast<const T*>(p)->options.label;
           }};
  if constexpr (is_known<T>) {
    row.take = [](void* p) -> std::shared_ptr<void> {
      return std::make_shared<T>(std::move(*static_cast<T*>(p)));
    };
    row.clone = [](const void* p) -> std::shared_ptr<void> {
      return std::make_shared<T>(*static_cast<const T*>(p));
    };
    row.operands = &collect<T>;
    row.round_numbers = &round_all<T>;
  }
  return row;
}

constexpr auto kinds = []<class... T>(ops::OpList<T...>) {
  return std::array{row<T>()...};
}(EveryOp{});

// OpList::index_of finds an operator by its name.
static_assert([] {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (kinds[i].name == kinds[k].name) return false;
  return true;
}());

const Kind& known(std::size_t kind, const void* op) {
  if (!kinds[kind].take) refuse_unknown(kind, op);
  return kinds[kind];
}

}  // namespace

Failure not_known() {
  return {"it was left out of this build of the library (WEBNN_OPERATORS)",
          ErrorName::NotSupportedError};
}
void refuse_unknown(std::size_t kind, const void* op) {
  raise(not_known(), name_of_op(kind, op), label_of_kind(kind, op));
}

Op Op::clone() const { return {kind_, known(kind_, get()).clone(get())}; }
std::vector<MLOperand*> Op::operands() {
  std::vector<MLOperand*> all;
  for (const MLOperand* x : operands_of(kind_, get()))
    all.push_back(const_cast<MLOperand*>(x));  // they are members of this operator
  return all;
}

void Op::round_numbers(MLOperandDataType type) {
  known(kind_, get()).round_numbers(op_.get(), type);
}

Op take(std::size_t kind, void* op) { return {kind, known(kind, op).take(op)}; }
void refuse_kind(std::size_t kind, const void* op) {
  const bool loop = kind == kind_of<control::loop>;
  const char* why =
      is_custom(kind) ? "custom operators are not supported here"
      : loop
          ? "only compiled files have loops whose iterations follow from open dimensions: export "
            "what prepare() returns, or give a size when the model is imported"
          : "only compiled graphs have this operator";
  raise({why, ErrorName::NotSupportedError}, name_of_op(kind, op), label_of_kind(kind, op));
}
std::string_view name_of_kind(std::size_t kind) { return kinds[kind].name; }
std::string_view name_of_op(std::size_t kind, const void* op) {
  if (!is_custom(kind)) return name_of_kind(kind);
  const auto& definition = static_cast<const ops::custom*>(op)->definition;
  return definition ? std::string_view(definition->name) : name_of_kind(kind);
}
std::string_view label_of_kind(std::size_t kind, const void* op) { return kinds[kind].label(op); }
std::vector<const MLOperand*> operands_of(std::size_t kind, const void* op) {
  std::vector<const MLOperand*> all;
  all.reserve(4);  // few operators have more
  append_operands(kind, op, all);
  return all;
}
void append_operands(std::size_t kind, const void* op, std::vector<const MLOperand*>& to) {
  known(kind, op).operands(op, to);
}

}  // namespace webnn::inline v0_1
