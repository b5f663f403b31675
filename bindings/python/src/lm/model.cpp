// Models, caches, text piece by piece, conversations.
#include <algorithm>

#include "bindings/python/src/lm/values.h"

namespace webnn::inline v0_1::python {
namespace {

using lm::Model;

Model load(const MLContext& context, const py::object& path, const py::dict& options) {
  const std::string name = path_of(path);
  const auto o = options_from<lm::LoadOptions>(options);
  if (py::cast<bool>(py::module_::import("os").attr("path").attr("isdir")(path)))
    return unlocked([&] { return lm::load(context, name, o); });
  return with_os_errors("check_readable", path, [&] { return lm::load(context, name, o); });
}

py::dict info(const Model& model) {
  const lm::ModelInfo& m = model.info();
  py::dict all;
  all["architecture"] = to_python(m.architecture);
  all["name"] = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(m.name.data(), static_cast<Py_ssize_t>(m.name.size()), "replace"));
  all["layers"] = m.layers;
  all["width"] = m.width;
  all["heads"] = m.heads;
  all["key_heads"] = m.keyHeads;
  all["head_size"] = m.headSize;
  all["vocabulary"] = m.vocabulary;
  all["context_length"] = m.contextLength;
  all["capacity"] = m.capacity;
  all["parameters"] = m.parameters;
  all["fingerprint"] = m.fingerprint;
  py::list weights;
  for (const lm::WeightReport& w : m.weights) {
    py::dict one;
    one["stored"] = to_python(w.stored);
    one["kept"] = to_python(w.kept);
    one["tensors"] = w.tensors;
    one["stored_bytes"] = w.storedBytes;
    one["kept_bytes"] = w.keptBytes;
    weights.append(one);
  }
  all["weights"] = weights;
  return all;
}

py::dict report(LmGeneration& g) {
  return to_python(unlocked(
      [&] { return g.generation.use([](lm::Generation& text) { return text.report(); }); }));
}

py::object array_of(const std::vector<std::vector<float>>& rows, std::size_t width) {
  std::byte* data = nullptr;
  const auto size = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  py::object array = new_array({float32, {size(rows.size()), size(width)}}, &data);
  auto* to = reinterpret_cast<float*>(data);
  for (const std::vector<float>& row : rows) to = std::ranges::copy(row, to).out;
  return array;
}

lm::GenerateOptions stoppable_options(const Model& model, const py::dict& given,
                                      const std::stop_source& stop) {
  lm::GenerateOptions o = generate_options(model, given);
  o.cancel = stop.get_token();
  return o;
}

Holder<LmGeneration> generate(const Model& model, py::handle prompt, LmCache* cache,
                              const py::dict& options) {
  const Where where{"generate", "prompt"};
  const std::stop_source stop;
  const lm::GenerateOptions o = stoppable_options(model, options, stop);
  const auto wrap = [&](lm::Generation text, auto... mutex) {
    return Holder<LmGeneration>(new LmGeneration{
        lm::Exclusive<lm::Generation>(std::move(text), std::move(mutex)...), stop});
  };
  if (PyUnicode_Check(prompt.ptr())) {
    const std::string text = text_from(prompt, where);
    return unlocked([&] {
      if (!cache) return wrap(model.generate(text, o));
      return cache->use(
          [&](lm::Cache& c) { return wrap(model.generate(c, text, o), cache->mutex()); });
    });
  }
  const auto tokens = tokens_from(prompt, where);
  return unlocked([&] {
    LmCache fresh(cache ? cache->use([](lm::Cache& c) { return c; }) : model.cache());
    LmCache& used = cache ? *cache : fresh;
    return used.use([&](lm::Cache& c) { return wrap(model.generate(c, tokens, o), used.mutex()); });
  });
}

py::object evaluate(const Model& model, LmCache& cache, py::handle given, std::uint32_t rows) {
  const auto tokens = tokens_from(given, {"evaluate", "tokens"});
  const std::vector<float> logits = unlocked(
      [&] { return cache.use([&](lm::Cache& c) { return model.evaluate(c, tokens, rows); }); });
  std::byte* data = nullptr;
  py::object array = new_array({float32, {rows, model.info().vocabulary}}, &data);
  std::ranges::copy(logits, reinterpret_cast<float*>(data));
  return array;
}

py::object embed(const Model& model, py::handle given) {
  const std::vector<std::string> texts = texts_from(given, {"embed", "texts"});
  return array_of(unlocked([&] { return model.embed(texts); }), model.info().width);
}
py::object embed_tokens(const Model& model, py::handle given) {
  const auto tokens = tokens_from(given, {"embed", "tokens"});
  return array_of({unlocked([&] { return model.embed(std::span(tokens)); })}, model.info().width);
}

void define_model(py::module_& module) {
  Class<Model>(module, "Model")
      .def("info", &info)
      .def("has_tokenizer", &Model::has_tokenizer)
      .def("tokenizer", [](const Model& m) { return m.tokenizer(); })
      .def("defaults", [](const Model& m) { return to_python_options(m.defaults()); })
      .def("end_tokens", [](const Model& m) { return to_python(m.end_tokens()); })
      .def("graph", [](const Model& m) { return m.graph(); })
      .def("cache", [](const Model& m) { return LmCache(unlocked([&] { return m.cache(); })); })
      .def("load_cache",
           [](const Model& m, const py::object& path) {
             const std::string name = path_of(path);
             return LmCache(
                 with_os_errors("check_readable", path, [&] { return m.load_cache(name); }));
           })
      .def("generate", &generate)
      .def("evaluate", &evaluate)
      .def("embed", &embed)
      .def("embed_tokens", &embed_tokens)
      .def("chat", [](const Model& m, py::handle given, const py::dict& options) {
        auto messages = messages_from(given, {"chat", "messages"});
        auto o = options_from<lm::ChatOptions>(options);
        return LmChat(unlocked([&] { return m.chat(std::move(messages), std::move(o)); }));
      });
}

/// f(cache) without the GIL, while no other thread uses the cache.
template <class F> auto with_cache(LmCache& cache, F f) {
  return unlocked([&] { return cache.use(f); });
}

void define_cache(py::module_& module) {
  Class<LmCache>(module, "Cache")
      .def("size", [](LmCache& c) { return with_cache(c, [](lm::Cache& x) { return x.size(); }); })
      .def("capacity",
           [](LmCache& c) { return with_cache(c, [](lm::Cache& x) { return x.capacity(); }); })
      .def("tokens",
           [](LmCache& c) {
             const auto tokens = with_cache(c, [](lm::Cache& x) {
               return std::vector<lm::Token>(x.tokens().begin(), x.tokens().end());
             });
             return to_python(std::span<const lm::Token>(tokens));
           })
      .def("trim",
           [](LmCache& c, py::handle given) {
             std::uint32_t size = 0;
             convert(given, size, {"trim", "size"});
             with_cache(c, [&](lm::Cache& x) { x.trim(size); });
           })
      .def("fork",
           [](LmCache& c) { return LmCache(with_cache(c, [](lm::Cache& x) { return x.fork(); })); })
      .def("save", [](LmCache& c, const py::object& path) {
        const std::string name = path_of(path);
        with_os_errors("check_writable", path, [&] { c.use([&](lm::Cache& x) { x.save(name); }); });
      });
}

py::object next(LmGeneration& g) {
  const std::optional<std::string> piece = unlocked([&] {
    return g.generation.use([](lm::Generation& text) -> std::optional<std::string> {
      if (const auto p = text.next()) return std::string(*p);
      return std::nullopt;
    });
  });
  return piece ? to_python(*piece) : py::none();
}

void define_generation(py::module_& module) {
  Class<LmGeneration>(module, "Generation")
      .def("next", &next)
      .def("report", &report)
      .def("stop", [](LmGeneration& g) { g.stop.request_stop(); })
      .def("samples",
           [](LmGeneration& g) {
             const auto samples = unlocked([&] {
               return g.generation.use([](lm::Generation& text) {
                 return std::vector<lm::Sample>(text.samples().begin(), text.samples().end());
               });
             });
             return to_python(std::span<const lm::Sample>(samples));
           })
      .def("tokens", [](LmGeneration& g) {
        const auto tokens = unlocked([&] {
          return g.generation.use([](lm::Generation& text) {
            return std::vector<lm::Token>(text.tokens().begin(), text.tokens().end());
          });
        });
        return to_python(std::span<const lm::Token>(tokens));
      });
  Class<LmChat>(module, "Chat")
      .def("send",
           [](LmChat& chat, const Model& model, py::handle given, const py::dict& options) {
             std::string content = text_from(given, {"send", "content"});
             const std::stop_source stop;
             const lm::GenerateOptions o = stoppable_options(model, options, stop);
             return unlocked([&] {
               return Holder<LmGeneration>(new LmGeneration{
                   lm::Exclusive<lm::Generation>(
                       chat.use([&](lm::Chat& c) { return c.send(std::move(content), o); }),
                       chat.mutex()),
                   stop});
             });
           })
      .def("messages",
           [](LmChat& chat) {
             return to_python(
                 unlocked([&] { return chat.use([](lm::Chat& c) { return c.messages(); }); }));
           })
      .def("forgotten", [](LmChat& chat) {
        return unlocked([&] { return chat.use([](lm::Chat& c) { return c.forgotten(); }); });
      });
}

/// (name, about, default) of each option, for documentation.
template <class Options> py::list rows_of() {
  py::list all;
  const Options defaults;
  lm::OptionsOf<Options>::each([&]<class Row>(const Row& row) {
    if constexpr (Row::form != lm::OptionForm::native) {
      const std::string name = lm::snake_case(row.name);
      all.append(
          py::make_tuple(to_python(name), to_python(row.about), to_python(Row::get(defaults))));
    }
  });
  return all;
}

}  // namespace

lm::GenerateOptions generate_options(const Model& model, const py::dict& given) {
  lm::GenerateOptions o = model.defaults();
  set_options(o, given);
  return o;
}

void define_lm_model(py::module_& module) {
  define_cache(module);
  define_generation(module);
  define_model(module);
  module.def("load", &load);
  module.def("check_options",
             [](const py::dict& given) { options_from<lm::GenerateOptions>(given); });
  py::dict options;
  options["LoadOptions"] = rows_of<lm::LoadOptions>();
  options["GenerateOptions"] = rows_of<lm::GenerateOptions>();
  options["SamplingOptions"] = rows_of<lm::SamplingOptions>();
  options["EncodeOptions"] = rows_of<lm::EncodeOptions>();
  options["DecodeOptions"] = rows_of<lm::DecodeOptions>();
  options["ChatOptions"] = rows_of<lm::ChatOptions>();
  module.attr("options") = options;
}

}  // namespace webnn::inline v0_1::python
