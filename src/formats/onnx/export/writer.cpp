#include "src/formats/onnx/export/writer.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>

#include "src/graph/failure.h"
#include "src/kernels/common/sizes.h"
#include "webnn/version.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

using protozero::pbf_writer;

constexpr std::uint64_t max_model_bytes = 0x7fffffff;  // protobuf has no larger messages
constexpr std::uint64_t unit = 64;                     // at multiples of which tensors begin

std::size_t varint_size(std::uint64_t v) {
  std::size_t n = 1;
  for (; v >= 128; v >>= 7) ++n;
  return n;
}
/// The key and the length that begin a field of bytes. The length may have more bytes than it
/// needs.
std::string field(std::uint32_t number, std::uint64_t size, std::size_t length_size = 1) {
  std::string s(1, static_cast<char>(number << 3 | 2));
  for (std::size_t n = 1; n < length_size || size >= 128; ++n, size >>= 7)
    s += static_cast<char>(size | 128);
  return s + static_cast<char>(size);
}

void add(pbf_writer& message, const Attribute& a) {
  enum class Type : std::int32_t { real = 1, integer, text, reals = 6, integers, texts };
  pbf_writer m(message, 5);
  m.add_string(1, a.name.data(), a.name.size());
  const auto type = [&](Type t) { m.add_enum(20, static_cast<std::int32_t>(t)); };
  if (const auto* i = std::get_if<std::int64_t>(&a.value)) {
    m.add_int64(3, *i);
    type(Type::integer);
  } else if (const auto* f = std::get_if<float>(&a.value)) {
    m.add_float(2, *f);
    type(Type::real);
  } else if (const auto* s = std::get_if<std::string_view>(&a.value)) {
    m.add_bytes(4, s->data(), s->size());
    type(Type::text);
  } else if (const auto* list = std::get_if<Ints>(&a.value)) {
    for (const std::int64_t v : *list) m.add_int64(8, v);
    type(Type::integers);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&a.value)) {
    for (const float v : *reals) m.add_float(7, v);
    type(Type::reals);
  } else {
    for (const std::string_view v : std::get<std::vector<std::string_view>>(a.value))
      m.add_bytes(9, v.data(), v.size());
    type(Type::texts);
  }
}

void add(pbf_writer& graph, const WrittenNode& n) {
  pbf_writer m(graph, 1);
  for (const std::string& x : n.inputs) m.add_string(1, x);
  for (const std::string& y : n.outputs) m.add_string(2, y);
  m.add_string(3, n.name);
  m.add_string(4, n.op_type.data(), n.op_type.size());
  for (const Attribute& a : n.attributes) add(m, a);
  if (!n.domain.empty()) m.add_string(7, n.domain);
}

void add(pbf_writer& graph, std::uint32_t number, const WrittenValue& v) {
  pbf_writer m(graph, number);
  m.add_string(1, v.name);
  pbf_writer type(m, 2);
  pbf_writer tensor(type, 1);
  tensor.add_enum(1, static_cast<std::int32_t>(v.type));
  if (!v.dims) return;
  // A shape without dimensions, of a scalar, is not the same as none.
  if (v.dims->empty()) tensor.add_bytes(2, "", 0);
  pbf_writer shape(tensor, 2);
  for (const MLDimension& d : *v.dims) {
    pbf_writer dim(shape, 1);
    if (d.is_open()) dim.add_string(2, d.dynamic().name);
    else dim.add_int64(1, d.size());
  }
}

/// A TensorProto without its elements, and what is before these in the model.
struct TensorHead {
  std::string fields{};
  std::uint64_t raw = 0;  // bytes of elements that follow
};

std::string fields_of(const WrittenTensor& t) {
  std::string s;
  pbf_writer m(s);
  for (const std::uint32_t d : t.dims) m.add_int64(1, d);
  m.add_enum(2, static_cast<std::int32_t>(t.type));
  m.add_string(8, t.name);
  return s;
}

/// Calls f(index, offset) for each tensor that is in the other file. Large ones begin a page.
template <class F>
void for_each_external(const WrittenModel& model, const External& external, F&& f) {
  constexpr std::uint64_t page = 4096, large = std::uint64_t{1} << 20;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const std::uint64_t size = model.tensors[i].data.bytes().size();
    if (size < external.min) continue;
    const std::uint64_t step = size >= large ? page : unit;
    offset = round_up(offset, step);
    f(i, offset);
    offset += size;
  }
}

std::vector<TensorHead> heads_of(const WrittenModel& model, const External& external) {
  std::vector<TensorHead> heads;
  for (const WrittenTensor& t : model.tensors)
    heads.push_back({fields_of(t), t.data.bytes().size()});
  for_each_external(model, external, [&](std::size_t i, std::uint64_t offset) {
    pbf_writer m(heads[i].fields);
    for (const auto& [key, value] : {std::pair<const char*, std::string>("location", external.name),
                                     {"offset", std::to_string(offset)},
                                     {"length", std::to_string(heads[i].raw)}}) {
      pbf_writer entry(m, 13);
      entry.add_string(1, key);
      entry.add_string(2, value);
    }
    m.add_enum(14, 1);  // EXTERNAL
    heads[i].raw = 0;
  });
  return heads;
}

constexpr std::uint64_t aligned_above = 256;  // bytes: smaller tensors may as well be copied

/// The size of a tensor's field that begins at `at`. The comment of a tensor moves its elements to
/// where they are aligned.
std::uint64_t place(TensorHead& head, bool has_raw, std::uint64_t at) {
  const auto size = [&] {
    const std::uint64_t raw = has_raw ? 1 + varint_size(head.raw) + head.raw : 0;
    const std::uint64_t body = head.fields.size() + raw;
    return 1 + varint_size(body) + body;
  };
  if (head.raw < aligned_above) return size();
  if ((at + size() - head.raw) % unit == 0) return size();
  const std::string fields = head.fields;
  for (std::size_t n = 0; n <= 2 * unit; ++n) {
    head.fields = fields;
    pbf_writer(head.fields).add_string(12, std::string(n, ' '));
    if ((at + size() - head.raw) % unit == 0) break;
  }
  return size();
}

std::string model_fields(const WrittenModel& model) {
  std::string s;
  pbf_writer m(s);
  m.add_int64(1, written_ir_version);
  m.add_string(2, "libwebnn");
  m.add_string(3, std::to_string(WEBNN_VERSION_MAJOR) + '.' + std::to_string(WEBNN_VERSION_MINOR) +
                      '.' + std::to_string(WEBNN_VERSION_PATCH));
  pbf_writer opset(m, 8);
  opset.add_string(1, "");
  opset.add_int64(2, written_opset);
  opset.commit();
  std::map<std::string, std::int64_t> others;
  for (const WrittenNode& n : model.nodes)
    if (!n.domain.empty()) others[n.domain] = std::max(others[n.domain], n.version);
  for (const auto& [domain, version] : others) {
    pbf_writer other(m, 8);
    other.add_string(1, domain);
    other.add_int64(2, version);
  }
  return s;
}

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }

}  // namespace

void put_model(const WrittenModel& model, const External& external, const formats::Put& put) {
  const std::string fields = model_fields(model);
  std::string nodes, values;
  {
    pbf_writer m(nodes);
    for (const WrittenNode& n : model.nodes) add(m, n);
    m.add_string(2, model.graph_name);
    pbf_writer v(values);
    for (const WrittenValue& x : model.inputs) add(v, 11, x);
    for (const WrittenValue& y : model.outputs) add(v, 12, y);
  }
  const std::vector<TensorHead> plain = heads_of(model, external);
  const auto has_raw = [&](std::size_t i) {
    return model.tensors[i].data.bytes().size() < external.min;
  };
  // Where tensors are, and so the length of the graph, follows from the size of that length.
  for (std::size_t length_size = 1;; ++length_size) {
    std::vector<TensorHead> heads = plain;
    const std::uint64_t begin = fields.size() + 1 + length_size;
    std::uint64_t at = begin + nodes.size();
    for (std::size_t i = 0; i < heads.size(); ++i) at += place(heads[i], has_raw(i), at);
    const std::uint64_t graph = at + values.size() - begin;
    if (begin + graph > max_model_bytes)
      raise({detail::format("the model has {} bytes, but one file has at most {}",
                            {begin + graph, max_model_bytes}),
             ErrorName::NotSupportedError},
            "onnx export");
    if (varint_size(graph) > length_size) continue;
    put(bytes_of(fields + field(7, graph, length_size)));
    put(bytes_of(nodes));
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const std::string raw = has_raw(i) ? field(9, heads[i].raw) : "";
      put(bytes_of(field(5, heads[i].fields.size() + raw.size() + heads[i].raw) + heads[i].fields +
                   raw));
      if (has_raw(i)) put(model.tensors[i].data.bytes());
    }
    put(bytes_of(values));
    return;
  }
}

void put_external(const WrittenModel& model, const External& external, const formats::Put& put) {
  std::uint64_t at = 0;
  for_each_external(model, external, [&](std::size_t i, std::uint64_t offset) {
    const std::vector<std::byte> gap(offset - at);
    put(gap);
    put(model.tensors[i].data.bytes());
    at = offset + model.tensors[i].data.bytes().size();
  });
}

}  // namespace webnn::inline v0_1::onnx::exporter
