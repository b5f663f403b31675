#include "tests/formats/tflite/run.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tests/support/builder.h"

namespace webnn::tflite::test {

std::vector<Tensor> run(std::span<const std::byte> model, std::span<const Tensor> inputs,
                        const ImportOptions& options) {
  MLContext context = webnn::test::plain_context();
  MLGraphBuilder builder(context);
  const Model m = import_model(builder, model, options);
  const MLGraph graph = builder.build(m.outputs);
  std::vector<NamedInput> in;
  for (const auto& [name, d] : graph.inputs())
    for (std::size_t i = 0; i < m.inputs.size(); ++i)
      if (m.inputs[i].first == name) in.push_back({name, inputs[i].bytes});
  std::vector<Tensor> results;
  for (const auto& [name, y] : m.outputs)
    results.push_back(
        {y.dataType(), y.shape(), std::vector<std::byte>(byte_length(y.descriptor()))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({m.outputs[i].first, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return results;
}

namespace {

struct Object;  // the library's structs, which are all opaque

/// The library's TfLiteType.
std::optional<MLOperandDataType> held_as_code(int type) {
  switch (type) {
    case 1: return float32;
    case 2:
    case 7: return int32;  // INT32, INT16
    case 3:
    case 6: return uint8;  // UINT8, BOOL
    case 4: return int64;
    case 9: return int8;
    case 10: return float16;
    default: return std::nullopt;
  }
}
constexpr int int16_code = 7;

std::vector<std::byte> narrowed(const std::vector<std::byte>& wide) {
  std::vector<std::byte> out(wide.size() / 2);
  for (std::size_t i = 0; i < out.size() / 2; ++i) {
    std::int32_t v = 0;
    std::memcpy(&v, &wide[i * 4], 4);
    const auto n = static_cast<std::int16_t>(v);
    std::memcpy(&out[i * 2], &n, 2);
  }
  return out;
}
std::vector<std::byte> widened(const std::vector<std::byte>& narrow) {
  std::vector<std::byte> out(narrow.size() * 2);
  for (std::size_t i = 0; i < narrow.size() / 2; ++i) {
    std::int16_t v = 0;
    std::memcpy(&v, &narrow[i * 2], 2);
    const std::int32_t w = v;
    std::memcpy(&out[i * 4], &w, 4);
  }
  return out;
}

}  // namespace

struct ReferenceRuntime::Library {
  void* handle = nullptr;
  Object* (*model_create)(const void*, std::size_t) = nullptr;
  void (*model_delete)(Object*) = nullptr;
  Object* (*options_create)() = nullptr;
  void (*options_delete)(Object*) = nullptr;
  Object* (*create)(const Object*, const Object*) = nullptr;
  void (*destroy)(Object*) = nullptr;
  int (*allocate)(Object*) = nullptr;
  int (*invoke)(Object*) = nullptr;
  int (*input_count)(const Object*) = nullptr;
  int (*output_count)(const Object*) = nullptr;
  Object* (*input)(const Object*, int) = nullptr;
  const Object* (*output)(const Object*, int) = nullptr;
  int (*type)(const Object*) = nullptr;
  int (*rank)(const Object*) = nullptr;
  int (*dim)(const Object*, int) = nullptr;
  std::size_t (*size)(const Object*) = nullptr;
  int (*copy_from)(Object*, const void*, std::size_t) = nullptr;
  int (*copy_to)(const Object*, void*, std::size_t) = nullptr;

  ~Library() {
    if (handle) dlclose(handle);
  }
  template <class F> bool find(F& f, const char* name) {
    f = reinterpret_cast<F>(dlsym(handle, name));
    return f != nullptr;
  }
  bool load(const char* path) {
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return handle && find(model_create, "TfLiteModelCreate") &&
           find(model_delete, "TfLiteModelDelete") &&
           find(options_create, "TfLiteInterpreterOptionsCreate") &&
           find(options_delete, "TfLiteInterpreterOptionsDelete") &&
           find(create, "TfLiteInterpreterCreate") && find(destroy, "TfLiteInterpreterDelete") &&
           find(allocate, "TfLiteInterpreterAllocateTensors") &&
           find(invoke, "TfLiteInterpreterInvoke") &&
           find(input_count, "TfLiteInterpreterGetInputTensorCount") &&
           find(output_count, "TfLiteInterpreterGetOutputTensorCount") &&
           find(input, "TfLiteInterpreterGetInputTensor") &&
           find(output, "TfLiteInterpreterGetOutputTensor") && find(type, "TfLiteTensorType") &&
           find(rank, "TfLiteTensorNumDims") && find(dim, "TfLiteTensorDim") &&
           find(size, "TfLiteTensorByteSize") && find(copy_from, "TfLiteTensorCopyFromBuffer") &&
           find(copy_to, "TfLiteTensorCopyToBuffer");
  }
};

ReferenceRuntime::ReferenceRuntime(std::unique_ptr<Library> library)
    : library_(std::move(library)) {}
ReferenceRuntime::~ReferenceRuntime() = default;

std::unique_ptr<ReferenceRuntime> ReferenceRuntime::open() {
  const char* path = std::getenv("WEBNN_TFLITE_LIBRARY");
  if (!path || !*path) return nullptr;
  auto library = std::make_unique<Library>();
  if (!library->load(path)) throw std::runtime_error(std::string("cannot be loaded: ") + path);
  return std::unique_ptr<ReferenceRuntime>(new ReferenceRuntime(std::move(library)));
}

std::optional<std::vector<Tensor>> ReferenceRuntime::run(std::span<const std::byte> model,
                                                         std::span<const Tensor> inputs) const {
  const Library& l = *library_;
  const auto owned = [](Object* p, void (*free)(Object*)) {
    return std::unique_ptr<Object, void (*)(Object*)>(p, free);
  };
  const auto m = owned(l.model_create(model.data(), model.size()), l.model_delete);
  if (!m) return std::nullopt;
  const auto options = owned(l.options_create(), l.options_delete);
  const auto interpreter = owned(l.create(m.get(), options.get()), l.destroy);
  if (!interpreter || l.allocate(interpreter.get()) != 0) return std::nullopt;
  for (int i = 0; i < l.input_count(interpreter.get()); ++i) {
    Object* t = l.input(interpreter.get(), i);
    const auto& bytes = inputs[static_cast<std::size_t>(i)].bytes;
    const auto data = l.type(t) == int16_code ? narrowed(bytes) : bytes;
    if (l.copy_from(t, data.data(), data.size()) != 0) return std::nullopt;
  }
  if (l.invoke(interpreter.get()) != 0) return std::nullopt;
  std::vector<Tensor> results;
  for (int i = 0; i < l.output_count(interpreter.get()); ++i) {
    const Object* t = l.output(interpreter.get(), i);
    const auto type = held_as_code(l.type(t));
    if (!type) return std::nullopt;
    Tensor y{*type, {}, std::vector<std::byte>(l.size(t))};
    for (int d = 0; d < l.rank(t); ++d) y.shape.push_back(static_cast<std::uint32_t>(l.dim(t, d)));
    if (l.copy_to(t, y.bytes.data(), y.bytes.size()) != 0) return std::nullopt;
    if (l.type(t) == int16_code) y.bytes = widened(y.bytes);
    results.push_back(std::move(y));
  }
  return results;
}

}  // namespace webnn::tflite::test
