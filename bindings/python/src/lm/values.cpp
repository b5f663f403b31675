#include "bindings/python/src/lm/values.h"

namespace webnn::inline v0_1::python {
namespace {

py::object json_function(const char* name) { return py::module_::import("json").attr(name); }

}  // namespace

std::string text_from(py::handle value, Where where) {
  Py_ssize_t size = 0;
  const char* text =
      PyUnicode_Check(value.ptr()) ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
  if (text) return {text, static_cast<std::size_t>(size)};
  PyErr_Clear();
  where.reject('(' + repr_of(value) + ") is not a str of Unicode");
}
std::vector<std::string> texts_from(py::handle value, Where where) {
  if (PyUnicode_Check(value.ptr())) return {text_from(value, where)};
  if (!py::isinstance<py::iterable>(value))
    where.reject('(' + repr_of(value) + ") is not a list of str");
  std::vector<std::string> all;
  for (const py::handle item : py::iter(value)) all.push_back(text_from(item, where));
  return all;
}
std::vector<lm::Token> tokens_from(py::handle value, Where where) {
  const bool is_text =
      PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr());
  if (is_text || !py::isinstance<py::iterable>(value))
    where.reject('(' + repr_of(value) + ") is not a list of int");
  std::vector<lm::Token> all;
  for (const py::handle item : py::iter(value)) convert(item, all.emplace_back(), where);
  return all;
}

std::vector<lm::Message> messages_from(py::handle value, Where where) {
  if (PyUnicode_Check(value.ptr()) || !py::isinstance<py::iterable>(value))
    where.reject('(' + repr_of(value) + ") is not a list of dict");
  std::vector<lm::Message> all;
  for (const py::handle item : py::iter(value)) {
    if (!py::isinstance<py::dict>(item)) where.reject("has an item that is not a dict");
    lm::Message& message = all.emplace_back();
    py::dict more;
    for_each_item(py::reinterpret_borrow<py::dict>(item), where,
                  [&](std::string_view name, py::handle v) {
                    if (name == "role") message.role = text_from(v, where);
                    else if (name == "content" && PyUnicode_Check(v.ptr()))
                      message.content = text_from(v, where);
                    else if (name != "content" || !v.is_none()) more[to_python(name)] = v;
                  });
    if (message.role.empty()) where.reject("has a dict without a role");
    if (!more.empty()) message.more = json_from(more, where);
  }
  return all;
}
py::list to_python(const std::vector<lm::Message>& messages) {
  py::list all;
  for (const lm::Message& m : messages) {
    py::dict one;
    one["role"] = to_python(m.role);
    one["content"] = to_python(m.content);
    if (!m.more.empty()) one.attr("update")(json_function("loads")(to_python(m.more)));
    all.append(one);
  }
  return all;
}
py::list to_python(std::span<const lm::Token> tokens) {
  py::list all(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) all[i] = py::int_(tokens[i]);
  return all;
}

py::tuple to_python(const lm::Sample& sample) {
  py::list best;
  for (const lm::TokenProbability& p : sample.best)
    best.append(py::make_tuple(p.token, p.logProbability));
  return py::make_tuple(sample.token, sample.logProbability, best);
}
py::list to_python(std::span<const lm::Sample> samples) {
  py::list all(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) all[i] = to_python(samples[i]);
  return all;
}
py::dict to_python(const lm::GenerationReport& r) {
  py::dict all;
  all["prompt_tokens"] = r.promptTokens;
  all["cached_tokens"] = r.cachedTokens;
  all["tokens"] = r.tokens;
  all["prompt_seconds"] = r.promptSeconds;
  all["seconds"] = r.seconds;
  all["finish_reason"] = to_python(r.finishReason);
  all["prompt_tokens_per_second"] = r.prompt_tokens_per_second();
  all["tokens_per_second"] = r.tokens_per_second();
  return all;
}

void convert(py::handle value, float& out, Where where) {
  const double v = PyFloat_AsDouble(value.ptr());
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    where.reject('(' + repr_of(value) + ") is not a number");
  }
  out = static_cast<float>(v);
}
void convert(py::handle value, std::uint64_t& out, Where where) {
  if (!PyIndex_Check(value.ptr())) where.reject('(' + repr_of(value) + ") is not an int");
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  const unsigned long long v = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    where.reject('(' + repr_of(index) + ") is not between 0 and 18446744073709551615");
  }
  out = v;
}
void convert(py::handle value, std::vector<std::string>& out, Where where) {
  out = texts_from(value, where);
}
void convert(py::handle value, std::vector<lm::Token>& out, Where where) {
  out = tokens_from(value, where);
}
void convert(py::handle value, std::vector<std::pair<lm::Token, float>>& out, Where where) {
  if (!py::isinstance<py::dict>(value))
    where.reject('(' + repr_of(value) + ") is not a dict of numbers by token");
  out.clear();
  for (const auto& [token, number] : py::reinterpret_borrow<py::dict>(value)) {
    auto& [to, added] = out.emplace_back();
    convert(token, to, where);
    convert(number, added, where);
  }
}
void convert(py::handle value, std::optional<std::int64_t>& out, Where where) {
  out.reset();
  if (!value.is_none()) convert(value, out.emplace(), where);
}
std::string json_from(py::handle value, Where where) {
  if (value.is_none()) return {};
  if (PyUnicode_Check(value.ptr())) return text_from(value, where);
  py::object text;
  try {
    text = json_function("dumps")(value, py::arg("ensure_ascii") = false);
  } catch (const py::error_already_set& e) {
    if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_ValueError)) throw;
    where.reject("cannot be written as JSON: " + std::string(py::str(e.value())));
  }
  return text_from(text, where);
}

py::object to_python(const std::vector<std::string>& v) {
  py::list all;
  for (const std::string& s : v) all.append(to_python(s));
  return all;
}
py::object to_python(const std::vector<std::pair<lm::Token, float>>& v) {
  py::dict all;
  for (const auto& [token, number] : v) all[py::int_(token)] = to_python(number);
  return all;
}

}  // namespace webnn::inline v0_1::python
