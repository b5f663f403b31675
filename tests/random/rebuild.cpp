#include "tests/random/rebuild.h"

#include <cstring>

namespace webnn::inline v0_1::test {
namespace {

/// Attributes that are shapes, or sizes of dimensions.
bool is_shape(std::string_view name) {
  for (std::string_view s :
       {"newShape", "sizes", "outputSizes", "splits", "windowDimensions", "steps", "hiddenSize"})
    if (name == s) return true;
  return false;
}

class Copy {
 public:
  Copy(Comparison& comparison, const Case& c, const Edit& edit)
      : case_(c), edit_(edit), builder_(comparison.context()), now_(c.graph.operand_count()) {}

  std::optional<Case> run() {
    for (std::size_t i = 0; i < case_.graph.size(); ++i) add(i);
    NamedOperands outputs;
    for (std::size_t i = 0; i < case_.graph.outputs().size(); ++i) {
      const auto& [name, y] = case_.graph.outputs()[i];
      const auto& kept = edit_.outputs;
      if (!kept.empty() && std::find(kept.begin(), kept.end(), i) == kept.end()) continue;
      const MLOperand now = operand(y);
      if (now.record().kind == OperandKind::result) outputs.push_back({name, now});
    }
    if (outputs.empty()) return std::nullopt;
    if (!keeps_operators()) return case_of(outputs, std::move(inputs_), case_.seed);
    NamedOperands listed;  // as it is
    for (const auto& [name, x] : case_.graph.inputs()) listed.push_back({name, operand(x)});
    return case_of(outputs, listed, std::move(inputs_), case_.seed);
  }

 private:
  bool keeps_operators() const {
    return edit_.outputs.empty() && edit_.cut.empty() && edit_.bypassed == Edit::none &&
           edit_.simplified == Edit::none;
  }
  MLOperand operand(const MLOperand& old) {
    MLOperand& now = now_[old.record().id];
    if (now) return now;
    Tensor values = values_of(case_, old);
    if (const auto it = edit_.values.find(old.record().id); it != edit_.values.end())
      values = it->second;
    values = resized(values);
    if (old.constant()) return now = builder_.constant(values.descriptor(), values.bytes);
    return now = input(old.record().name, std::move(values));
  }
  MLOperand input(const std::string& name, Tensor values) {
    const MLOperand x = builder_.input(name, values.descriptor());
    inputs_[name] = std::move(values);
    return x;
  }

  std::uint32_t resized(std::uint32_t d) const { return d == edit_.from && d ? edit_.to : d; }
  /// The elements that come first.
  Tensor resized(const Tensor& old) const {
    Dims shape = old.shape;
    for (std::uint32_t& d : shape) d = resized(d);
    if (shape == old.shape) return old;
    Tensor t{old.type, shape, {}};
    t.bytes.resize(static_cast<std::size_t>(byte_length(t.descriptor())));
    std::size_t i = 0;
    for_each_place(shape, [&](const Dims& at) {
      Dims from = at;
      for (std::size_t d = 0; d < from.size(); ++d) from[d] = std::min(from[d], old.shape[d] - 1);
      const std::size_t place = place_in(old.shape, from), bytes = bits_of(old.type) / 8;
      if (bytes == 0) t.set(i, old[place]);
      else std::memcpy(&t.bytes[i * bytes], &old.bytes[place * bytes], bytes);
      ++i;
    });
    return t;
  }

  template <class T> void resize(std::string_view name, T& value) {
    const auto list = [&](auto& dims) {
      for (auto& d : dims) d = resized(d);
    };
    if (!is_shape(name)) return;
    if constexpr (std::same_as<T, std::uint32_t>) value = resized(value);
    else if constexpr (std::same_as<T, Dims>) list(value);
    else if constexpr (std::same_as<T, OptionalList<std::uint32_t>>) {
      if (value) list(*value);
    } else if constexpr (requires { std::get_if<Dims>(&value); }) {
      if (auto* dims = std::get_if<Dims>(&value)) list(*dims);
    }
  }
  template <class T> void simplify(T& op) {
    std::size_t row = 0;
    static const T defaults{};
    ops::for_each_row<T>([&]<class Row>(const Row& r) {
      const auto reset = [&]<auto M>() {
        if (ops::is_required<T>(M) || row++ != edit_.row) return;
        auto& value = ops::get(op, M);
        if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, std::optional<MLOperand>>)
          value.reset();
        else value = ops::get(defaults, M);
      };
      visit_member(r, reset);
    });
  }
  template <auto M, class F> static void visit_member(const ops::Operand<M>&, F& f) {
    f.template operator()<M>();
  }
  template <auto M, class F> static void visit_member(const ops::Attribute<M>&, F& f) {
    f.template operator()<M>();
  }
  template <auto M, class F> static void visit_member(const ops::Output<M>&, F&) {}

  void add(std::size_t i) {
    const Node node = case_.graph.node(i);
    bool needed = false;
    for (const MLOperand& y : node.outputs()) {
      const auto it = edit_.cut.find(y.record().id);
      if (it == edit_.cut.end()) needed = true;
      else now_[y.record().id] = input("cut" + std::to_string(it->first), resized(it->second));
    }
    if (!needed) return;
    if (i == edit_.bypassed) {
      now_[node.output().record().id] = operand(node.input(edit_.bypass));
      return;
    }
    visit<ops::AllOps>(
        [&]<class T>(const T& op) {
          T copied = op;
          ops::for_each_operand(copied, [&](const auto&, auto& value) {
            ops::each(value, [&](MLOperand& x) { x = operand(x); });
          });
          ops::for_each_attribute(copied,
                                  [&](const auto& row, auto& value) { resize(row.name, value); });
          if (i == edit_.simplified) simplify(copied);
          if constexpr (ops::returns_list<T>()) {
            const auto made = builder_.append(std::move(copied));
            for (std::size_t k = 0; k < std::min(made.size(), node.outputs().size()); ++k)
              know(node.output(k), made[k]);
          } else {
            know(node.output(), builder_.append(std::move(copied)));
          }
        },
        node.kind(), node.op());
  }
  void know(const MLOperand& old, const MLOperand& now) {
    MLOperand& known = now_[old.record().id];
    if (!known) known = now;  // unless it is an input now
  }

  const Case& case_;
  const Edit& edit_;
  MLGraphBuilder builder_;
  std::vector<MLOperand> now_;  // by operand of the old graph
  Inputs inputs_{};
};

}  // namespace

Tensor values_of(const Case& c, const MLOperand& x) {
  if (const Constant* constant = x.constant())
    return {x.dataType(), x.shape(), {constant->bytes().begin(), constant->bytes().end()}};
  return c.inputs.at(x.record().name);
}

std::optional<Case> rebuilt(Comparison& comparison, const Case& c, const Edit& edit) {
  try {
    return Copy(comparison, c, edit).run();
  } catch (const std::exception&) { return std::nullopt; }
}

}  // namespace webnn::inline v0_1::test
