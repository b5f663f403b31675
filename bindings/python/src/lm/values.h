// Values of language models, from Python and to it, and the classes of the module _webnn._lm.
#pragma once

#include <mutex>

#include "bindings/python/src/option_values.h"
#include "src/lm/interface/exclusive.h"
#include "src/lm/interface/options.h"

namespace webnn::inline v0_1::python {

using LmCache = lm::Exclusive<lm::Cache>;
using LmChat = lm::Exclusive<lm::Chat>;
using LmTokenStream = lm::Exclusive<lm::TokenStream>;
using LmSampler = lm::Exclusive<lm::Sampler>;
/// `stop` ends a run that is under way.
struct LmGeneration {
  lm::Exclusive<lm::Generation> generation;
  std::stop_source stop;
};

/// Any thread may use `open` to add and cancel. `stop` ends a step that is under way.
struct LmBatch {
  lm::Batch open;
  lm::Model model;
  lm::Exclusive<lm::Batch> batch;
  std::mutex stop_mutex{};
  std::stop_source stop{};

  LmBatch(lm::Batch b, lm::Model m) : open(b), model(std::move(m)), batch(std::move(b)) {}
};

}  // namespace webnn::inline v0_1::python

namespace pybind11::detail {
template <> struct type_caster<webnn::lm::Model> : webnn::python::HandleCaster<webnn::lm::Model> {};
template <>
struct type_caster<webnn::lm::Tokenizer> : webnn::python::HandleCaster<webnn::lm::Tokenizer> {};
template <>
struct type_caster<webnn::lm::ChatTemplate> : webnn::python::HandleCaster<webnn::lm::ChatTemplate> {
};
template <>
struct type_caster<webnn::python::LmCache> : webnn::python::HandleCaster<webnn::python::LmCache> {};
template <>
struct type_caster<webnn::python::LmChat> : webnn::python::HandleCaster<webnn::python::LmChat> {};
template <>
struct type_caster<webnn::python::LmTokenStream>
    : webnn::python::HandleCaster<webnn::python::LmTokenStream> {};
template <>
struct type_caster<webnn::python::LmSampler>
    : webnn::python::HandleCaster<webnn::python::LmSampler> {};
template <>
struct type_caster<webnn::python::LmGeneration>
    : webnn::python::HandleCaster<webnn::python::LmGeneration> {};
template <>
struct type_caster<webnn::python::LmBatch> : webnn::python::HandleCaster<webnn::python::LmBatch> {};
}  // namespace pybind11::detail

namespace webnn::inline v0_1::python {

/// f() without the GIL.
template <class F> auto unlocked(F f) {
  const WithoutGil release;
  return f();
}

/// Throws TypeError for what is not a str, or has surrogates.
std::string text_from(py::handle value, Where where);
std::vector<std::string> texts_from(py::handle value, Where where);  ///< one str is one text
std::vector<lm::Token> tokens_from(py::handle value, Where where);
/// Dicts with role and content; other members, and a content that is a list, become
/// lm::Message::more.
std::vector<lm::Message> messages_from(py::handle value, Where where);
py::list to_python(const std::vector<lm::Message>& messages);
py::list to_python(std::span<const lm::Token> tokens);
/// Tuples of a token, its log probability, and the list of the best ones with theirs.
py::list to_python(std::span<const lm::Sample> samples);
py::tuple to_python(const lm::Sample& sample);
py::dict to_python(const lm::GenerationReport& report);

// convert(): an option, from what a caller gives.

inline void convert(py::handle value, std::string& out, Where where) {
  out = text_from(value, where);
}
void convert(py::handle value, float& out, Where where);
void convert(py::handle value, std::uint64_t& out, Where where);
void convert(py::handle value, std::vector<std::string>& out, Where where);
void convert(py::handle value, std::vector<lm::Token>& out, Where where);
void convert(py::handle value, std::vector<std::pair<lm::Token, float>>& out, Where where);
void convert(py::handle value, std::optional<std::int64_t>& out, Where where);
/// A str that is JSON, or an object that the module json can write.
std::string json_from(py::handle value, Where where);

inline py::object to_python(float v) { return py::float_(static_cast<double>(v)); }
inline py::object to_python(const std::string& v) { return to_python(std::string_view(v)); }
inline py::object to_python(const std::optional<std::int64_t>& v) {
  return v ? py::object(py::int_(*v)) : py::object(py::none());
}
py::object to_python(const std::vector<std::string>& v);
py::object to_python(const std::vector<std::pair<lm::Token, float>>& v);

/// The options of a dict, whose keys have underscores.
template <class Options> void set_options(Options& options, const py::dict& given) {
  using Rows = lm::OptionsOf<Options>;
  for_each_item(given, {Rows::name, "options"}, [&](std::string_view name, py::handle value) {
    bool known = false;
    std::string names;
    Rows::each([&]<class Row>(const Row& row) {
      if constexpr (Row::form != lm::OptionForm::native) {
        const std::string own = lm::snake_case(row.name);
        names += (names.empty() ? "" : ", ") + own;
        if (own != name) return;
        known = true;
        const Where where{Rows::name, name};
        if constexpr (Row::form == lm::OptionForm::json)
          Row::get(options) = json_from(value, where);
        else convert(value, Row::get(options), where);
      }
    });
    if (!known) Where{Rows::name, name}.reject("is not one of its options: " + names);
  });
}
template <class Options> Options options_from(const py::dict& given) {
  Options options;
  set_options(options, given);
  return options;
}
/// A dict by the names with underscores.
template <class Options> py::dict to_python_options(const Options& options) {
  py::dict all;
  lm::OptionsOf<Options>::each([&]<class Row>(const Row& row) {
    if constexpr (Row::form != lm::OptionForm::native)
      all[to_python(std::string_view(lm::snake_case(row.name)))] = to_python(Row::get(options));
  });
  return all;
}

void define_lm_text(py::module_& module);
void define_lm_model(py::module_& module);
void define_lm_batch(py::module_& module);
/// Those of the model, where the caller gives no others.
lm::GenerateOptions generate_options(const lm::Model& model, const py::dict& given);

}  // namespace webnn::inline v0_1::python
