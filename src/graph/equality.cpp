// Equality and hashing of operators and graphs. Labels do not count: they name, they do not mean.
#include <functional>

#include "src/graph/custom.h"
#include "src/graph/equality.h"
#include "src/graph/graph_data.h"
#include "src/graph/known.h"
#include "src/graph/recipe.h"
#include "src/graph/same.h"

namespace webnn::inline v0_1 {
namespace {

class Hash {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void mix(T v) {
    if constexpr (std::is_enum_v<T>) mix(static_cast<int>(v));
    else if constexpr (std::floating_point<T>) combine(std::hash<double>{}(v));
    else combine(static_cast<std::size_t>(v));
  }
  void mix(const fused::OperatorForm& form) {
    mix(form.name());
    if (form)
      visit_known<ops::AllOps>([this](const auto& op) { mix_attributes(op); }, form.kind(),
                               form.get());
  }
  void mix(const std::shared_ptr<const CustomOperator>& o) {
    mix(o ? std::string_view(o->name) : std::string_view());
    mix(o ? o->version : 0u);
  }
  void mix(const CustomAttributes& attributes) {
    for (const auto& [name, value] : attributes) {
      mix(std::string_view(name));
      mix(std::string_view(text_of(value)));
    }
  }
  void mix(const control::LoopBody& body) { mix(std::string_view(body.text())); }
  template <class T> void mix_attributes(const T& op) {
    ops::for_each_attribute(op, [this](const auto&, const auto& value) { mix(value); });
  }
  void mix(std::string_view s) { combine(std::hash<std::string_view>{}(s)); }
  void mix(const MLNumber& v) { v.is_integer() ? mix(v.as_uint64()) : mix(v.as_double()); }
  void mix(const MLOperand& x) { mix(id_of(x)); }
  template <class T> void mix(const std::optional<T>& v) {
    mix(v.has_value());
    if (v) mix(*v);
  }
  template <class T> void mix(const std::vector<T>& list) {
    mix(list.size());
    for (const T& v : list) mix(v);
  }
  template <class... T> void mix(const std::variant<T...>& v) {
    mix(v.index());
    std::visit([&](const auto& x) { mix(x); }, v);
  }
  std::size_t value() const { return value_; }

 private:
  void combine(std::size_t h) { value_ = (value_ ^ h) * 0x9e3779b97f4a7c15 + (value_ >> 29); }
  std::size_t value_ = 0;
};

/// Appends attributes, so that equal bytes are equal attributes.
class AttributesOf {
 public:
  explicit AttributesOf(Recipe& to) : to_(to) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T v) { to_ << v; }
  void add(float v) { to_ << static_cast<double>(v); }
  void add(std::string_view s) { to_ << s; }
  void add(const MLNumber& v) {
    to_ << v.is_integer() << v.is_negative_integer();
    v.is_integer() ? to_ << v.as_uint64() : to_ << v.as_double();
  }
  void add(const fused::OperatorForm& form) {
    to_ << bool{form};
    if (form) to_ << form.kind(), add_op<ops::AllOps>(form.kind(), form.get());
  }
  /// Constants are only made of others by operators of graphs that live as long.
  void add(const std::shared_ptr<const CustomOperator>& o) {
    to_ << reinterpret_cast<std::uintptr_t>(o.get());
  }
  void add(const CustomAttributes& attributes) {
    to_ << attributes.size();
    for (const auto& [name, value] : attributes) {
      add(std::string_view(name));
      to_ << value.index();
      std::visit([this](const auto& v) { add_value(v); },
                 static_cast<const CustomValue::variant&>(value));
    }
  }
  void add(const control::LoopBody& body) { to_ << std::string_view(body.text()); }
  template <class T> void add(const std::optional<T>& v) {
    to_ << v.has_value();
    if (v) add(*v);
  }
  template <class T> void add(const std::vector<T>& list) {
    to_ << list.size();
    for (const T& v : list) add(v);
  }
  template <class... T> void add(const std::variant<T...>& v) {
    to_ << v.index();
    std::visit([&](const auto& x) { add(x); }, v);
  }
  template <class List> void add_op(std::size_t kind, const void* op) {
    visit_known<List>(
        [this](const auto& o) {
          ops::for_each_operand(o, [this](const auto&, const auto& row) { add_count(row); });
          ops::for_each_attribute(o, [this](const auto&, const auto& value) { add(value); });
        },
        kind, op);
  }

 private:
  void add_value(std::monostate) {}
  void add_value(const std::string& s) { add(std::string_view(s)); }
  void add_value(const std::vector<std::string>& list) {
    to_ << list.size();
    for (const std::string& s : list) add_value(s);
  }
  template <class T> void add_value(const T& v) { add(v); }
  void add_count(const MLOperand&) { to_ << 1; }
  void add_count(const std::optional<MLOperand>& row) { to_ << row.has_value(); }
  void add_count(const std::vector<MLOperand>& row) { to_ << row.size(); }

  Recipe& to_;
};

template <class T> bool same_attribute(const T& a, const T& b) { return same_value(a, b); }
/// What an operator of the library is, its name and its attributes say.
bool same_attribute(const std::shared_ptr<const CustomOperator>& a,
                    const std::shared_ptr<const CustomOperator>& b) {
  if (a == b) return true;
  return a && b && a->name == b->name && a->version == b->version && a->name.starts_with("webnn.");
}

template <class T> bool equal_attributes(const T& a, const T& b) {
  bool result = true;
  ops::for_each_attribute(
      a, [&]<auto M>(const ops::Attribute<M>&, const auto& value) {
        result = result && same_attribute(value, ops::get(b, M));
      });
  return result;
}
template <class T> bool equal(const T& a, const T& b) {
  bool result = true;
  ops::for_each_operand(
      a, [&]<auto M>(const ops::Operand<M>&, const auto& value) {
        result = result && same(value, ops::get(b, M));
      });
  return result && equal_attributes(a, b);
}

/// Whether two operators have as many operands in each row.
bool same_number(const MLOperand&, const MLOperand&) { return true; }
bool same_number(const std::optional<MLOperand>& a, const std::optional<MLOperand>& b) {
  return a.has_value() == b.has_value();
}
bool same_number(const std::vector<MLOperand>& a, const std::vector<MLOperand>& b) {
  return a.size() == b.size();
}
template <class T> bool equal_forms(const T& a, const T& b) {
  bool result = equal_attributes(a, b);
  ops::for_each_operand(
      a, [&]<auto M>(const ops::Operand<M>&, const auto& value) {
        result = result && same_number(value, ops::get(b, M));
      });
  return result;
}

/// The names of results follow from those of inputs, or are for reading.
bool same_dimensions(const OperandRecord& a, const OperandRecord& b) {
  if (!a.open || !b.open) return !a.open && !b.open;
  return a.kind == OperandKind::input ? *a.open == *b.open : a.open->ranked == b.open->ranked;
}

bool same_record(const OperandRecord& a, const OperandRecord& b) {
  if (a.kind != b.kind || a.descriptor != b.descriptor || a.name != b.name) return false;
  if (!same_dimensions(a, b)) return false;
  if (!a.constant) return true;
  const auto x = a.constant->bytes(), y = b.constant->bytes();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

}  // namespace

bool fused::operator==(const OperatorForm& a, const OperatorForm& b) {
  if (!a || !b || a.kind() != b.kind()) return !a && !b;
  return visit_known<ops::AllOps>(
      [&]<class T>(const T& op) { return equal_forms(op, *static_cast<const T*>(b.get())); },
      a.kind(), a.get());
}

bool equal(const Op& a, const Op& b) {
  if (a.kind() != b.kind()) return false;
  return visit_known([&]<class T>(const T& op) { return equal(op, *b.as<T>()); }, a);
}

std::size_t hash_of(const Op& op) {
  Hash hash;
  hash.mix(op.kind());
  visit_known(
      [&](const auto& o) {
        ops::for_each_operand(o, [&](const auto&, const auto& value) { hash.mix(value); });
        hash.mix_attributes(o);
      },
      op);
  return hash.value();
}

Recipe& Recipe::operator<<(const Op& op) {
  *this << op.kind();
  AttributesOf(*this).add_op<EveryOp>(op.kind(), op.get());
  return *this;
}

bool operator==(const Graph& a, const Graph& b) {
  const auto same_node = [](const NodeData& x, const NodeData& y) {
    return equal(x.op, y.op) && same(x.outputs, y.outputs);
  };
  const auto same_output = [](const auto& x, const auto& y) {
    return x.name == y.name && same(x.operand, y.operand);
  };
  const GraphData &x = data_of(a), &y = data_of(b);
  return std::equal(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(),
                    same_record) &&
         std::equal(x.nodes.begin(), x.nodes.end(), y.nodes.begin(), y.nodes.end(), same_node) &&
         std::equal(x.outputs.begin(), x.outputs.end(), y.outputs.begin(), y.outputs.end(),
                    same_output);
}

std::size_t hash_of(const Graph& graph) {
  Hash hash;
  for (const OperandRecord& r : data_of(graph).operands) {
    hash.mix(r.descriptor.dataType);
    hash.mix(r.descriptor.shape);
  }
  for (const NodeData& node : data_of(graph).nodes) hash.mix(hash_of(node.op));
  for (const auto& [name, x] : graph.outputs()) hash.mix(std::string_view(name)), hash.mix(x);
  return hash.value();
}

}  // namespace webnn::inline v0_1
