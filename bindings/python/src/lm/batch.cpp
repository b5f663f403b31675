// Several texts at once.
#include "bindings/python/src/lm/values.h"

namespace webnn::inline v0_1::python {
namespace {

using lm::Batch;

/// f(batch) without the GIL, while no other thread uses it.
template <class F> auto with_batch(LmBatch& b, F f) {
  return unlocked([&] { return b.batch.use(f); });
}

Holder<LmBatch> make(const lm::Model& model, py::handle given) {
  std::uint32_t sequences = 0;
  convert(given, sequences, {"batch", "sequences"});
  return unlocked(
      [&] { return Holder<LmBatch>(new LmBatch(model.batch({.sequences = sequences}), model)); });
}

std::size_t add(LmBatch& b, py::handle prompt, LmCache* cache, const py::dict& options) {
  const Where where{"add", "prompt"};
  const lm::GenerateOptions o = generate_options(b.model, options);
  if (PyUnicode_Check(prompt.ptr()) && !cache) {
    const std::string text = text_from(prompt, where);
    return unlocked([&] { return b.open.add(text, o); });
  }
  std::vector<lm::Token> tokens;
  if (PyUnicode_Check(prompt.ptr())) tokens = b.model.tokenizer().encode(text_from(prompt, where));
  else tokens = tokens_from(prompt, where);
  return unlocked([&] {
    if (!cache) return b.open.add(std::move(tokens), o);
    return b.open.add(cache->use([](lm::Cache& c) { return c.fork(); }), std::move(tokens), o);
  });
}

std::size_t number_from(py::handle given) {
  std::uint64_t number = 0;
  convert(given, number, {"batch", "sequence"});
  return static_cast<std::size_t>(number);
}

py::object next(LmBatch& b) {
  const std::stop_token stop = [&] {
    const std::lock_guard lock(b.stop_mutex);
    if (b.stop.stop_requested()) b.stop = {};
    return b.stop.get_token();
  }();
  const auto piece =
      with_batch(b, [&](Batch& x) -> std::optional<std::pair<std::size_t, std::string>> {
        if (const auto p = x.next(stop)) return std::pair(p->sequence, std::string(p->text));
        return std::nullopt;
      });
  return piece ? py::object(py::make_tuple(piece->first, to_python(piece->second))) : py::none();
}
void stop(LmBatch& b) {
  const std::lock_guard lock(b.stop_mutex);
  b.stop.request_stop();
}

}  // namespace

void define_lm_batch(py::module_& module) {
  module.def("batch", &make);
  Class<LmBatch>(module, "Batch")
      .def("add", &add)
      .def("cancel", [](LmBatch& b, py::handle n) { b.open.cancel(number_from(n)); })
      .def("next", &next)
      .def("stop", &stop)
      .def("size", [](LmBatch& b) { return with_batch(b, [](Batch& x) { return x.size(); }); })
      .def("running",
           [](LmBatch& b) { return with_batch(b, [](Batch& x) { return x.running(); }); })
      .def("waiting",
           [](LmBatch& b) { return with_batch(b, [](Batch& x) { return x.waiting(); }); })
      .def("text",
           [](LmBatch& b, py::handle given) {
             const std::size_t n = number_from(given);
             return to_python(with_batch(b, [&](Batch& x) { return std::string(x.text(n)); }));
           })
      .def("tokens",
           [](LmBatch& b, py::handle given) {
             const std::size_t n = number_from(given);
             const auto tokens = with_batch(b, [&](Batch& x) {
               return std::vector<lm::Token>(x.tokens(n).begin(), x.tokens(n).end());
             });
             return to_python(std::span<const lm::Token>(tokens));
           })
      .def("samples",
           [](LmBatch& b, py::handle given) {
             const std::size_t n = number_from(given);
             const auto samples = with_batch(b, [&](Batch& x) {
               return std::vector<lm::Sample>(x.samples(n).begin(), x.samples(n).end());
             });
             return to_python(std::span<const lm::Sample>(samples));
           })
      .def("report",
           [](LmBatch& b, py::handle given) {
             const std::size_t n = number_from(given);
             return to_python(with_batch(b, [&](Batch& x) { return x.report(n); }));
           })
      .def("forget", [](LmBatch& b, py::handle given) {
        const std::size_t n = number_from(given);
        with_batch(b, [&](Batch& x) { x.forget(n); });
      });
}

}  // namespace webnn::inline v0_1::python
