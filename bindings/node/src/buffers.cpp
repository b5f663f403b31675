// Buffers and views of JavaScript as views of the library.
#include <span>

#include "convert.h"
#include "object.h"

namespace webnn::inline v0_1::node {
namespace {

struct Memory {
  void* data = nullptr;
  std::size_t size = 0;                          // in bytes
  napi_typedarray_type type = napi_uint8_array;  // the type of the elements
  bool typed = false;                            // a view with elements, else bytes
};

/// Resizable memory could shrink while it is used; the spec does not allow it here.
void reject_resizable(const Napi::Object& buffer, const char* property, const Where& where) {
  if (buffer.Get(property).ToBoolean()) where.reject("is resizable");
}

/// An array of a type that this version of Node-API does not know is a Float16Array, the newest.
constexpr auto unknown_type = static_cast<napi_typedarray_type>(255);

Memory of_array(const Napi::Value& value, const Where& where) {
  const Napi::Env env = value.Env();
  Memory m{.type = unknown_type, .typed = true};
  napi_value buffer = nullptr;
  std::size_t length = 0;
  if (napi_get_typedarray_info(env, value, &m.type, &length, &m.data, &buffer, nullptr) != napi_ok)
    where.reject("is a view that cannot be read");
  reject_resizable(Napi::Object(env, buffer), "resizable", where);
  static constexpr std::size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
  m.size = length * (m.type < std::size(sizes) ? sizes[m.type] : 2);
  if (m.data == nullptr) m.size = 0;  // detached
  return m;
}

/// Node-API throws when it is asked for the bytes of a detached view.
Memory of_data_view(const Napi::Value& value, const Where& where) {
  const Napi::Env env = value.Env();
  Memory m{.type = napi_float64_array, .typed = true};  // which matches no data type
  napi_value buffer = nullptr;
  if (napi_get_dataview_info(env, value, &m.size, &m.data, &buffer, nullptr) != napi_ok) {
    if (env.IsExceptionPending()) env.GetAndClearPendingException();
    where.reject("is a view that cannot be read");
  }
  reject_resizable(Napi::Object(env, buffer), "resizable", where);
  if (m.data == nullptr) m.size = 0;
  return m;
}

Memory memory_of(const Napi::Value& value, const Where& where) {
  const Napi::Env env = value.Env();
  if (value.IsTypedArray()) return of_array(value, where);
  if (value.IsArrayBuffer()) {
    reject_resizable(value.As<Napi::Object>(), "resizable", where);
    Memory m;
    napi_get_arraybuffer_info(env, value, &m.data, &m.size);
    return m;
  }
  Instance& i = instance(env);
  if (value.IsObject() && value.As<Napi::Object>().InstanceOf(i.shared_array_buffer.Value())) {
    reject_resizable(value.As<Napi::Object>(), "growable", where);
    Memory m = of_array(i.uint8_array.New({value}), where);
    m.typed = false;
    return m;
  }
  if (value.IsDataView()) return of_data_view(value, where);
  where.reject("is not a buffer or a view of one");
}

template <class View, class T> View view_as(const Memory& m) {
  return View(std::span(static_cast<T*>(m.data), m.size / sizeof(T)));
}

template <class View> View view_of(const Napi::Value& value, const Where& where) {
  const Memory m = memory_of(value, where);
  if (!m.typed) return view_as<View, std::byte>(m);
  switch (static_cast<int>(m.type)) {
    case napi_float32_array: return view_as<View, float>(m);
    case napi_int32_array: return view_as<View, std::int32_t>(m);
    case napi_uint32_array: return view_as<View, std::uint32_t>(m);
    case napi_bigint64_array: return view_as<View, std::int64_t>(m);
    case napi_biguint64_array: return view_as<View, std::uint64_t>(m);
    case napi_int8_array: return view_as<View, std::int8_t>(m);
    case napi_uint8_array: return view_as<View, std::uint8_t>(m);
    case napi_uint16_array: return view_as<View, std::uint16_t>(m);
    case napi_uint8_clamped_array:
    case napi_int16_array:
    case napi_float64_array: where.reject("is a view whose elements match no data type");
    default: return view_as<View, Float16>(m);
  }
}

}  // namespace

InputView to_input(const Napi::Value& value, const Where& where) {
  return view_of<InputView>(value, where);
}
OutputView to_output(const Napi::Value& value, const Where& where) {
  return view_of<OutputView>(value, where);
}
InputView to_input_bytes(const Napi::Value& value, const Where& where) {
  return view_as<InputView, const std::byte>(memory_of(value, where));
}
OutputView to_output_bytes(const Napi::Value& value, const Where& where) {
  return view_as<OutputView, std::byte>(memory_of(value, where));
}

}  // namespace webnn::inline v0_1::node
