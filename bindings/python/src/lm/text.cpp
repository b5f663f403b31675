// Tokenizers, templates of conversations, and the choice of the next token.
#include "bindings/python/src/lm/values.h"

namespace webnn::inline v0_1::python {
namespace {

using lm::Token;

py::object optional(std::optional<Token> token) {
  return token ? py::object(py::int_(*token)) : py::object(py::none());
}

lm::Tokenizer open_tokenizer(const py::object& path) {
  const std::string name = path_of(path);
  if (py::cast<bool>(py::module_::import("os").attr("path").attr("isdir")(path)))
    return unlocked([&] { return lm::Tokenizer::open(name); });
  return with_os_errors("check_readable", path, [&] { return lm::Tokenizer::open(name); });
}

py::list encode(const lm::Tokenizer& t, py::handle given, const py::dict& options) {
  const std::string text = text_from(given, {"encode", "text"});
  const auto o = options_from<lm::EncodeOptions>(options);
  return to_python(unlocked([&] { return t.encode(text, o); }));
}
py::object decode(const lm::Tokenizer& t, py::handle given, const py::dict& options) {
  const auto tokens = tokens_from(given, {"decode", "tokens"});
  const auto o = options_from<lm::DecodeOptions>(options);
  return to_python(unlocked([&] { return t.decode(tokens, o); }));
}
Token token_from(py::handle value, std::string_view method) {
  Token token = 0;
  convert(value, token, {method, "token"});
  return token;
}
/// What a file writes may be no UTF-8.
py::object file_text(std::string_view text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void define_tokenizer(py::module_& module) {
  Class<lm::Tokenizer>(module, "Tokenizer")
      .def_static("open", &open_tokenizer)
      .def_static("from_json",
                  [](py::handle tokenizer, py::handle config) {
                    const std::string t = text_from(tokenizer, {"from_json", "tokenizer"});
                    const std::string c = text_from(config, {"from_json", "config"});
                    return unlocked([&] { return lm::Tokenizer::from_json(t, c); });
                  })
      .def("encode", &encode)
      .def("decode", &decode)
      .def("size", &lm::Tokenizer::size)
      .def("text_of",
           [](const lm::Tokenizer& t, py::handle token) {
             return file_text(t.text_of(token_from(token, "text_of")));
           })
      .def("find",
           [](const lm::Tokenizer& t, py::handle text) {
             return optional(t.find(text_from(text, {"find", "text"})));
           })
      .def("is_special",
           [](const lm::Tokenizer& t, py::handle token) {
             return t.is_special(token_from(token, "is_special"));
           })
      .def("bos", [](const lm::Tokenizer& t) { return optional(t.bos()); })
      .def("eos", [](const lm::Tokenizer& t) { return optional(t.eos()); })
      .def("unk", [](const lm::Tokenizer& t) { return optional(t.unk()); })
      .def("pad", [](const lm::Tokenizer& t) { return optional(t.pad()); })
      .def("chat_template", [](const lm::Tokenizer& t) { return file_text(t.chat_template()); })
      .def("apply_chat_template",
           [](const lm::Tokenizer& t, py::handle given, const py::dict& options) {
             const auto messages = messages_from(given, {"apply_chat_template", "messages"});
             const auto o = options_from<lm::ChatOptions>(options);
             return to_python(unlocked([&] { return lm::apply_chat_template(t, messages, o); }));
           });
  Class<LmTokenStream>(module, "TokenStream")
      .def(py::init([](const lm::Tokenizer& t, const py::dict& options) {
        return Holder<LmTokenStream>(
            new LmTokenStream(lm::TokenStream(t, options_from<lm::DecodeOptions>(options))));
      }))
      .def("put",
           [](LmTokenStream& s, py::handle given) {
             const Token token = token_from(given, "put");
             return to_python(
                 unlocked([&] { return s.use([&](auto& stream) { return stream.put(token); }); }));
           })
      .def("finish", [](LmTokenStream& s) {
        return to_python(
            unlocked([&] { return s.use([](auto& stream) { return stream.finish(); }); }));
      });
}

void define_template(py::module_& module) {
  Class<lm::ChatTemplate>(module, "ChatTemplate")
      .def(py::init([](py::handle text) {
        const std::string t = text_from(text, {"ChatTemplate", "text"});
        return unlocked([&] { return Holder<lm::ChatTemplate>(new lm::ChatTemplate(t)); });
      }))
      .def("apply", [](const lm::ChatTemplate& t, py::handle given, const py::dict& options) {
        const auto messages = messages_from(given, {"apply", "messages"});
        const auto o = options_from<lm::ChatOptions>(options);
        return to_python(unlocked([&] { return t.apply(messages, o); }));
      });
}

py::tuple sample(LmSampler& sampler, py::handle given, py::handle before_given,
                 const py::object& allowed_given) {
  const Where where{"sample", "logits"};
  const Buffer logits(given, Access::read, where, float32);
  if (logits.type() != float32) where.reject("are " + logits.type_name() + ", not float32");
  const std::span<const float> values(reinterpret_cast<const float*>(logits.data()),
                                      logits.size() / sizeof(float));
  const auto before = tokens_from(before_given, {"sample", "before"});
  std::optional<std::vector<bool>> allowed;
  if (!allowed_given.is_none()) {
    allowed.emplace();
    for (const py::handle item : py::iter(allowed_given)) {
      bool is_allowed = false;
      convert(item, is_allowed, {"sample", "allowed"});
      allowed->push_back(is_allowed);
    }
  }
  const lm::Sample chosen = unlocked([&] {
    return sampler.use([&](lm::Sampler& s) {
      return allowed ? s.sample(values, before, *allowed) : s.sample(values, before);
    });
  });
  return to_python(chosen);
}

void define_sampler(py::module_& module) {
  Class<LmSampler>(module, "Sampler")
      .def(py::init([](const py::dict& options) {
        return Holder<LmSampler>(
            new LmSampler(lm::Sampler(options_from<lm::SamplingOptions>(options))));
      }))
      .def("sample", &sample)
      .def("options", [](LmSampler& s) {
        return to_python_options(
            unlocked([&] { return s.use([](auto& sampler) { return sampler.options(); }); }));
      });
}

}  // namespace

void define_lm_text(py::module_& module) {
  define_tokenizer(module);
  define_template(module);
  define_sampler(module);
}

}  // namespace webnn::inline v0_1::python
