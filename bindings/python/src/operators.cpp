// The methods of the operators, from their declarations.
#include <algorithm>
#include <array>

#include "bindings/python/src/module.h"
#include "operator_docs.h"  // generated
#include "src/formats/common/operator_rows.h"

namespace webnn::inline v0_1::python {
namespace {

using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;

/// Split and the recurrent operators return one, also where it has one item.
bool returns_list(std::string_view name) {
  static const auto lists = []<class... Op>(ops::OpList<Op...>) {
    return std::array{ops::returns_list<Op>()...};
  }(ops::DeclaredOps{});
  const auto& names = ops::DeclaredOps::names;
  return lists[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                        names.begin())];
}

bool is_string(py::handle h) { return py::isinstance<py::str>(h); }

Value value_of(py::handle object, Where where) {
  if (py::isinstance<py::bool_>(object)) return Value::boolean(object.ptr() == Py_True);
  if (is_string(object)) return Value::string(py::cast<std::string>(object));
  if (PyIndex_Check(object.ptr())) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (index) return Value::number(py::cast<std::string>(py::str(index)));
    PyErr_Clear();  // an array of several elements
  }
  if (py::isinstance<py::iterable>(object) && py::hasattr(object, "__len__")) {
    Value list = Value::list();
    for (const py::handle item : py::iter(object)) list.items.push_back(value_of(item, where));
    return list;
  }
  const double v = PyFloat_AsDouble(object.ptr());
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    where.reject("(" + std::string(Py_TYPE(object.ptr())->tp_name) +
                 ") is neither a number nor a str nor a list of them");
  }
  return formats::to_value(MLNumber(v));
}

MLOperand operand(py::handle object, Where where) {
  if (!py::isinstance<MLOperand>(object))
    where.reject("(" + std::string(Py_TYPE(object.ptr())->tp_name) + ") is not an MLOperand");
  return *py::cast<const MLOperand*>(object);
}

void set(const OperatorRow& row, void* op, py::handle given, Where where) {
  using Form = OperatorRow::Form;
  void* member = row.member(op);
  switch (row.form) {
    case Form::operand: *static_cast<MLOperand*>(member) = operand(given, where); return;
    case Form::optional_operand:
      *static_cast<std::optional<MLOperand>*>(member) = operand(given, where);
      return;
    case Form::operands: {
      auto& list = *static_cast<std::vector<MLOperand>*>(member);
      if (!py::isinstance<py::iterable>(given)) where.reject("is not a list of MLOperand");
      for (const py::handle item : py::iter(given)) list.push_back(operand(item, where));
      return;
    }
    case Form::attribute: break;
  }
  const bool is_dtype = !row.type->names.empty() && py::hasattr(given, "itemsize");  // numpy's
  const Value value = value_of(
      is_dtype ? py::object(given.attr("name")) : py::reinterpret_borrow<py::object>(given), where);
  if (auto bad = row.type->from_value(value, member)) where.reject_value(bad->message);
}

/// An operator whose rows are being given.
struct Call {
  const OperatorRows& rows;
  std::shared_ptr<void> op = rows.make();
  std::vector<bool> given = std::vector<bool>(rows.rows.size());

  void set_row(std::size_t i, py::handle value) {
    const OperatorRow& row = rows.rows[i];
    const Where where{rows.name, row.name};
    if (given[i]) where.reject("is given twice");
    given[i] = true;
    set(row, op.get(), value, where);
  }
  void set_option(std::string_view name, py::handle value) {
    if (name == "label") {
      if (!is_string(value)) Where{rows.name, name}.reject("is not a str");
      rows.label(op.get()) = py::cast<std::string>(value);
      return;
    }
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
      if (rows.rows[i].name == name) {
        if (!value.is_none()) set_row(i, value);
        return;
      }
    Where{rows.name, name}.reject("is not one of its arguments and options");
  }
  void set_options(const py::dict& options) {
    for_each_item(options, {rows.name, "options"},
                  [&](std::string_view name, py::handle value) { set_option(name, value); });
  }
};

py::object call(const OperatorRows& rows, MLGraphBuilder& builder, const py::args& args,
                const py::kwargs& kwargs) {
  Call c{rows};
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.rows.size() && next < args.size(); ++i)
    if (rows.rows[i].required) c.set_row(i, args[next++]);
  if (next + 1 == args.size() && py::isinstance<py::dict>(args[next]))
    c.set_options(py::reinterpret_borrow<py::dict>(args[next++]));
  if (next < args.size())
    Where{rows.name, "arguments"}.reject("are too many (" + std::to_string(args.size()) +
                                         "); options have names, as in " + std::string(rows.name) +
                                         "(..., label=\"first\")");
  c.set_options(kwargs);
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    if (rows.rows[i].required && !c.given[i])
      Where{rows.name, rows.rows[i].name}.reject("is missing");

  std::vector<MLOperand> results;
  {
    const WithoutGil release;
    results = rows.append(builder, c.op.get());
    c.op.reset();
  }
  if (!returns_list(rows.name)) return py::cast(std::move(results.at(0)));
  py::list all;
  for (MLOperand& x : results) all.append(py::cast(std::move(x)));
  return all;
}

}  // namespace

void define_operators(Class<MLGraphBuilder>& builder) {
  for (std::size_t kind = 0; kind < ops::DeclaredOps::size; ++kind) {
    const OperatorRows& rows = formats::rows_of(kind);
    const std::string name(rows.name);
    builder.def(
        name.c_str(),
        [&rows](MLGraphBuilder& b, const py::args& args, const py::kwargs& kwargs) {
          return call(rows, b, args, kwargs);
        },
        operator_docs[kind]);
  }
}

}  // namespace webnn::inline v0_1::python
