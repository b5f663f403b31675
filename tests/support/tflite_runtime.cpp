#include "tests/support/tflite_runtime.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace webnn::inline v0_1::test {

// The part of the runtime's C interface that is used, tensorflow/lite/c/c_api.h.
namespace {
struct Model;
struct Options;
struct Interpreter;
struct RuntimeTensor;
struct Quantization {
  float scale;
  std::int32_t zero_point;
};
using Reporter = void (*)(void*, const char*, va_list);
}  // namespace

struct TfliteRuntime::Functions {
  const char* (*version)();
  Model* (*model_create)(const void*, std::size_t);
  void (*model_delete)(Model*);
  Options* (*options_create)();
  void (*options_delete)(Options*);
  void (*set_threads)(Options*, std::int32_t);
  void (*set_reporter)(Options*, Reporter, void*);
  Interpreter* (*create)(const Model*, const Options*);
  void (*destroy)(Interpreter*);
  std::int32_t (*input_count)(const Interpreter*);
  RuntimeTensor* (*input)(const Interpreter*, std::int32_t);
  int (*allocate)(Interpreter*);
  int (*invoke)(Interpreter*);
  std::int32_t (*output_count)(const Interpreter*);
  const RuntimeTensor* (*output)(const Interpreter*, std::int32_t);
  int (*type)(const RuntimeTensor*);
  std::int32_t (*rank)(const RuntimeTensor*);
  std::int32_t (*dim)(const RuntimeTensor*, std::int32_t);
  std::size_t (*byte_size)(const RuntimeTensor*);
  void* (*data)(const RuntimeTensor*);
  const char* (*name)(const RuntimeTensor*);
  Quantization (*quantization)(const RuntimeTensor*);
};

namespace {

template <class F> void resolve(void* library, const char* name, F& function) {
  void* const symbol = dlsym(library, name);
  if (!symbol) throw std::runtime_error(std::string("the library has no ") + name);
  function = reinterpret_cast<F>(symbol);
}

void report(void* text, const char* format, va_list arguments) {
  char line[1024];
  std::vsnprintf(line, sizeof line, format, arguments);
  *static_cast<std::string*>(text) += std::string("\n") + line;
}

template <class T> using Handle = std::unique_ptr<T, void (*)(T*)>;

constexpr int int16_type = 7;  // in the schema and in the runtime

template <class To, class From> std::vector<std::byte> converted(std::span<const std::byte> from) {
  std::vector<std::byte> to(from.size() / sizeof(From) * sizeof(To));
  for (std::size_t i = 0; i < from.size() / sizeof(From); ++i) {
    From v{};
    std::memcpy(&v, &from[i * sizeof(From)], sizeof(From));
    const To w = static_cast<To>(v);
    std::memcpy(&to[i * sizeof(To)], &w, sizeof(To));
  }
  return to;
}

/// The schema's TensorType. The runtime's own numbers begin at 1 and have FLOAT16 elsewhere.
int schema_type(int type) { return type == 10 ? 1 : type > 10 || type == 1 ? type - 1 : type; }

}  // namespace

Tensor TfliteTensor::tensor() const {
  if (type == int16_type) return {int32, shape, converted<std::int32_t, std::int16_t>(bytes)};
  constexpr std::pair<int, MLOperandDataType> types[] = {{0, float32}, {1, float16}, {2, int32},
                                                         {3, uint8},   {4, int64},   {6, uint8},
                                                         {9, int8},    {12, uint64}, {15, uint32}};
  for (const auto& [theirs, ours] : types)
    if (theirs == type) return {ours, shape, bytes};
  throw std::runtime_error("no WebNN type for the runtime's type " + std::to_string(type));
}

TfliteRuntime::TfliteRuntime(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error("WEBNN_TFLITE_LIBRARY: " + std::string(dlerror()));
  auto* f = new Functions{};
  resolve(library, "TfLiteVersion", f->version);
  resolve(library, "TfLiteModelCreate", f->model_create);
  resolve(library, "TfLiteModelDelete", f->model_delete);
  resolve(library, "TfLiteInterpreterOptionsCreate", f->options_create);
  resolve(library, "TfLiteInterpreterOptionsDelete", f->options_delete);
  resolve(library, "TfLiteInterpreterOptionsSetNumThreads", f->set_threads);
  resolve(library, "TfLiteInterpreterOptionsSetErrorReporter", f->set_reporter);
  resolve(library, "TfLiteInterpreterCreate", f->create);
  resolve(library, "TfLiteInterpreterDelete", f->destroy);
  resolve(library, "TfLiteInterpreterGetInputTensorCount", f->input_count);
  resolve(library, "TfLiteInterpreterGetInputTensor", f->input);
  resolve(library, "TfLiteInterpreterAllocateTensors", f->allocate);
  resolve(library, "TfLiteInterpreterInvoke", f->invoke);
  resolve(library, "TfLiteInterpreterGetOutputTensorCount", f->output_count);
  resolve(library, "TfLiteInterpreterGetOutputTensor", f->output);
  resolve(library, "TfLiteTensorType", f->type);
  resolve(library, "TfLiteTensorNumDims", f->rank);
  resolve(library, "TfLiteTensorDim", f->dim);
  resolve(library, "TfLiteTensorByteSize", f->byte_size);
  resolve(library, "TfLiteTensorData", f->data);
  resolve(library, "TfLiteTensorName", f->name);
  resolve(library, "TfLiteTensorQuantizationParams", f->quantization);
  functions_ = f;
}

const TfliteRuntime* TfliteRuntime::find() {
  const char* const path = std::getenv("WEBNN_TFLITE_LIBRARY");
  if (!path || !*path) return nullptr;
  static const TfliteRuntime* const runtime = new TfliteRuntime(path);
  return runtime;
}

std::string TfliteRuntime::version() const { return functions_->version(); }

std::vector<TfliteTensor> TfliteRuntime::run(std::span<const std::byte> bytes,
                                             std::span<const std::vector<std::byte>> inputs) const {
  const Functions& f = *functions_;
  std::string messages;
  const auto require = [&](bool good, const std::string& what) {
    if (!good) throw std::runtime_error("the TFLite runtime: " + what + messages);
  };
  // Aligned as in a file that is mapped.
  std::vector<std::max_align_t> copy(bytes.size() / sizeof(std::max_align_t) + 1);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(copy.data()));
  const Handle<Model> model(f.model_create(copy.data(), bytes.size()), f.model_delete);
  require(model != nullptr, "not a model");
  const Handle<Options> options(f.options_create(), f.options_delete);
  f.set_threads(options.get(), 1);
  f.set_reporter(options.get(), report, &messages);
  const Handle<Interpreter> interpreter(f.create(model.get(), options.get()), f.destroy);
  require(interpreter != nullptr, "the model is refused");
  require(f.allocate(interpreter.get()) == 0, "its tensors cannot be allocated");
  const std::int32_t count = f.input_count(interpreter.get());
  require(static_cast<std::size_t>(count) == inputs.size(),
          "the model has " + std::to_string(count) + " inputs");
  for (std::int32_t i = 0; i < count; ++i) {
    RuntimeTensor* const x = f.input(interpreter.get(), i);
    std::vector<std::byte> values = inputs[i];
    if (f.type(x) == int16_type && values.size() == 2 * f.byte_size(x))
      values = converted<std::int16_t, std::int32_t>(values);
    require(f.byte_size(x) == values.size(), std::string("the size of input ") + f.name(x) +
                                                 " is " + std::to_string(f.byte_size(x)));
    std::copy(values.begin(), values.end(), static_cast<std::byte*>(f.data(x)));
  }
  require(f.invoke(interpreter.get()) == 0, "the model cannot be run");

  std::vector<TfliteTensor> outputs;
  for (std::int32_t i = 0; i < f.output_count(interpreter.get()); ++i) {
    const RuntimeTensor* const y = f.output(interpreter.get(), i);
    TfliteTensor& out =
        outputs.emplace_back(TfliteTensor{.type = schema_type(f.type(y)), .name = f.name(y)});
    for (std::int32_t d = 0; d < f.rank(y); ++d)
      out.shape.push_back(static_cast<std::uint32_t>(f.dim(y, d)));
    const auto* const data = static_cast<const std::byte*>(f.data(y));
    out.bytes.assign(data, data + f.byte_size(y));
    out.scale = f.quantization(y).scale;
    out.zero_point = f.quantization(y).zero_point;
  }
  return outputs;
}

std::vector<Tensor> TfliteRuntime::run(std::span<const std::byte> model,
                                       std::span<const Tensor> inputs) const {
  std::vector<std::vector<std::byte>> bytes;
  for (const Tensor& x : inputs) bytes.push_back(x.bytes);
  std::vector<Tensor> outputs;
  for (const TfliteTensor& y : run(model, bytes)) outputs.push_back(y.tensor());
  return outputs;
}

}  // namespace webnn::inline v0_1::test
