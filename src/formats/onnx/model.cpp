#include "src/formats/onnx/model.h"

#include <set>

#include "src/formats/onnx/fields.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr FieldName model_fields[] = {{2, "producer_name", false}, {6, "doc_string", false},
                                      {7, "graph", false},         {8, "opset_import"},
                                      {14, "metadata_props"},      {25, "functions"}};
constexpr FieldName graph_fields[] = {
    {1, "node"},    {2, "name", false}, {5, "initializer"},        {11, "input"},
    {12, "output"}, {13, "value_info"}, {15, "sparse_initializer"}};
constexpr FieldName node_fields[] = {{1, "input"},     {2, "output"},         {3, "name", false},
                                     {5, "attribute"}, {4, "op_type", false}, {7, "domain", false}};
constexpr FieldName attribute_fields[] = {{1, "name", false}, {2, "f", false}, {3, "i", false},
                                          {4, "s", false},    {5, "t", false}, {6, "g", false},
                                          {7, "floats"},      {8, "ints"},     {9, "strings"}};
constexpr FieldName tensor_fields[] = {
    {1, "dims"},        {4, "float_data"},      {5, "int32_data"},   {7, "int64_data"},
    {8, "name", false}, {9, "raw_data", false}, {10, "double_data"}, {13, "external_data"}};
constexpr FieldName value_fields[] = {{1, "name", false}, {2, "type", false}};
constexpr FieldName function_fields[] = {{1, "name", false},  {4, "input"},
                                         {5, "output"},       {7, "node"},
                                         {9, "opset_import"}, {11, "attribute_proto"}};

constexpr std::size_t max_dims = 64;  // a bound before the rank of WebNN is checked

Attribute read_attribute(Bytes message, Limits&) {
  Attribute a;
  a.message = message;
  for_each_field(message, attribute_fields, [&](auto tag, pbf_reader& r) {
    switch (tag) {
      case 1: return read(r, a.name);
      case 20: return read(r, a.type);
      case 21: return read(r, a.reference);
      default: return false;
    }
  });
  return a;
}

Node read_node(Bytes message, Limits& limits) {
  Node n;
  for_each_field(message, node_fields, [&](auto tag, pbf_reader& r) {
    Bytes part;
    switch (tag) {
      case 1: return read(r, n.inputs, limits);
      case 2: return read(r, n.outputs, limits);
      case 3: return read(r, n.name);
      case 4: return read(r, n.op_type);
      case 5:
        if (!read(r, part)) return false;
        append(n.attributes, part, limits, read_attribute);
        return true;
      case 7: return read(r, n.domain);
      case 8: return read(r, n.overload);
      default: return false;
    }
  });
  if (n.domain == "ai.onnx") n.domain = {};
  return n;
}

Dimension read_dimension(Bytes message, Limits&) {
  Dimension d;
  for_each_field(message, [&](auto tag, pbf_reader& r) {
    std::int64_t v = 0;
    switch (tag) {
      case 1:
        if (!read(r, v)) return false;
        d.value = v;
        return true;
      case 2: return read(r, d.name);
      default: return false;
    }
  });
  if (d.name == "?") d.name = {};  // an exporter's word for all that it does not know
  return d;
}

void read_tensor_type(Bytes message, ValueInfo& info, Limits& limits) {
  for_each_field(message, [&](auto tag, pbf_reader& r) {
    Bytes shape;
    if (tag == 1) return read(r, info.type);
    if (tag != 2 || !read(r, shape)) return false;
    info.has_shape = true;
    for_each_field(shape, [&](auto field, pbf_reader& dims) {
      Bytes dim;
      if (field != 1 || !read(dims, dim)) return false;
      append(info.shape, dim, limits, read_dimension);
      return true;
    });
    return true;
  });
}

ValueInfo read_value_info(Bytes message, Limits& limits) {
  ValueInfo info;
  for_each_field(message, value_fields, [&](auto tag, pbf_reader& r) {
    Bytes type;
    if (tag == 1) return read(r, info.name);
    if (tag != 2 || !read(r, type)) return false;
    for_each_field(type, [&](auto kind, pbf_reader& k) {
      Bytes part;
      if (!read(k, part)) return false;
      switch (kind) {
        case 1:
          info.kind = "tensor";
          read_tensor_type(part, info, limits);
          break;
        case 4: info.kind = "sequence"; break;
        case 5: info.kind = "map"; break;
        case 8: info.kind = "sparse tensor"; break;
        case 9: info.kind = "optional"; break;
      }
      return true;
    });
    return true;
  });
  return info;
}

GraphProto read_graph(Bytes message, Limits& limits) {
  GraphProto g;
  g.message = message;
  for_each_field(message, graph_fields, [&](auto tag, pbf_reader& r) {
    Bytes part;
    if (tag == 2) return read(r, g.name);
    if (tag != 1 && tag != 5 && tag != 11 && tag != 12 && tag != 15) return false;
    if (!read(r, part)) return false;
    switch (tag) {
      case 1: append(g.nodes, part, limits, read_node); break;
      case 5: append(g.initializers, part, limits, read_tensor); break;
      case 11: append(g.inputs, part, limits, read_value_info); break;
      case 12: append(g.outputs, part, limits, read_value_info); break;
      case 15: g.sparse_initializers = true; break;
    }
    return true;
  });
  return g;
}

OpsetImport read_opset(Bytes message, Limits&) {
  OpsetImport o;
  for_each_field(message, [&](auto tag, pbf_reader& r) {
    if (tag == 1) return read(r, o.domain);
    return tag == 2 && read(r, o.version);
  });
  if (o.domain == "ai.onnx") o.domain = {};
  return o;
}

Function read_function(Bytes message, Limits& limits) {
  Function f;
  for_each_field(message, function_fields, [&](auto tag, pbf_reader& r) {
    Bytes part;
    switch (tag) {
      case 1: return read(r, f.name);
      case 4: return read(r, f.inputs, limits);
      case 5: return read(r, f.outputs, limits);
      case 7:
        if (!read(r, part)) return false;
        append(f.nodes, part, limits, read_node);
        return true;
      case 9:
        if (!read(r, part)) return false;
        append(f.opsets, part, limits, read_opset);
        return true;
      case 10: return read(r, f.domain);
      case 11:
        if (!read(r, part)) return false;
        append(f.defaults, part, limits, read_attribute);
        return true;
      case 13: return read(r, f.overload);
      default: return false;
    }
  });
  if (f.domain == "ai.onnx") f.domain = {};
  return f;
}

/// The last field of that number and form, as protobuf has it.
template <class T> T value_of(const Attribute& a, protozero::pbf_tag_type number, T fallback) {
  T value = fallback;
  for_each_field(a.message,
                 [&](auto tag, pbf_reader& r) { return tag == number && read(r, value); });
  return value;
}
template <class T>
std::vector<T> list_of(Bytes message, protozero::pbf_tag_type number, std::uint64_t max) {
  std::vector<T> list;
  for_each_field(message, [&](auto tag, pbf_reader& r) {
    return tag == number && read_numbers(r, list, max);
  });
  return list;
}

constexpr std::uint64_t max_list = std::uint64_t{1} << 24;  // elements of an attribute

}  // namespace

std::string Broken::text(Bytes file) const {
  std::string all = what();
  if (at && at >= file.data() && at <= file.data() + file.size())
    all += ", at byte " + std::to_string(at - file.data());
  return path.empty() ? all : all + ", in " + path;
}

void Limits::take(std::size_t n) {
  if (n > entries) throw Broken("it has more than 1048576 nodes, names, tensors and attributes");
  entries -= n;
}

ModelProto read_model(Bytes message, Limits& limits) {
  ModelProto m;
  for_each_field(message, model_fields, [&](auto tag, pbf_reader& r) {
    Bytes part;
    switch (tag) {
      case 1: return read(r, m.ir_version);
      case 6: return read(r, m.description);
      case 7:
        if (!read(r, part)) return false;
        if (m.has_graph) throw Broken("it has two graphs");
        m.has_graph = true;
        m.graph = read_graph(part, limits);
        return true;
      case 8:
        if (!read(r, part)) return false;
        append(m.opsets, part, limits, read_opset);
        return true;
      case 25:
        if (!read(r, part)) return false;
        append(m.functions, part, limits, read_function);
        return true;
      default: return false;
    }
  });
  return m;
}

std::vector<std::pair<std::string_view, std::string_view>> read_properties(Bytes message,
                                                                           Limits& limits) {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  const auto add = [&](std::string_view name, pbf_reader& r) {
    std::string_view value;
    if (!read(r, value)) return false;
    limits.take();
    if (!value.empty()) all.emplace_back(name, value);
    return true;
  };
  for_each_field(message, model_fields, [&](auto tag, pbf_reader& r) {
    Bytes entry;
    switch (tag) {
      case 2: return add("producer", r);
      case 3: return add("producer version", r);
      case 4: return add("domain", r);
      case 14: {
        if (!read(r, entry)) return false;
        limits.take();
        std::string_view key, value;
        for_each_field(entry, [&](auto field, pbf_reader& e) {
          return (field == 1 && read(e, key)) || (field == 2 && read(e, value));
        });
        all.emplace_back(key, value);
        return true;
      }
      default: return false;
    }
  });
  return all;
}

std::vector<ValueInfo> read_value_infos(const GraphProto& g, Limits& limits) {
  std::vector<ValueInfo> all;
  for_each_field(g.message, graph_fields, [&](auto tag, pbf_reader& r) {
    Bytes part;
    if (tag != 13 || !read(r, part)) return false;
    append(all, part, limits, read_value_info);
    return true;
  });
  return all;
}

Tensor read_tensor(Bytes message, Limits& limits) {
  Tensor t;
  t.message = message;
  std::int64_t location = 0;
  for_each_field(message, tensor_fields, [&](auto tag, pbf_reader& r) {
    switch (tag) {
      case 1: return read_numbers(r, t.dims, max_dims);
      case 2: return read(r, t.type);
      case 8: return read(r, t.name);
      case 9: t.has_raw = true; return read(r, t.raw);
      case 14: return read(r, location);
      default: return false;
    }
  });
  limits.take(t.dims.size());
  t.external = location == 1;
  return t;
}

ExternalData read_external_data(const Tensor& t) {
  ExternalData data;
  std::set<std::string_view> keys;
  for_each_field(t.message, tensor_fields, [&](auto tag, pbf_reader& r) {
    Bytes entry;
    if (tag != 13 || !read(r, entry)) return false;
    std::string_view key, value;
    for_each_field(entry, [&](auto field, pbf_reader& e) {
      return (field == 1 && read(e, key)) || (field == 2 && read(e, value));
    });
    if (!keys.insert(key).second) data.repeated = key;
    if (key == "location") data.location = value;
    if (key == "offset") data.offset = value;
    if (key == "length") data.length = value;
    return true;
  });
  return data;
}

double real_of(const Attribute& a) {
  float value = 0;
  for_each_field(a.message,
                 [&](auto tag, pbf_reader& r) { return tag == 2 && read_number(r, value); });
  return value;
}
std::int64_t integer_of(const Attribute& a) { return value_of<std::int64_t>(a, 3, 0); }
std::string_view text_of(const Attribute& a) { return value_of<std::string_view>(a, 4, {}); }
std::vector<float> reals_of(const Attribute& a) { return list_of<float>(a.message, 7, max_list); }
std::vector<std::int64_t> integers_of(const Attribute& a) {
  return list_of<std::int64_t>(a.message, 8, max_list);
}
std::vector<std::string_view> texts_of(const Attribute& a) {
  std::vector<std::string_view> list;
  Limits limits;
  for_each_field(a.message,
                 [&](auto tag, pbf_reader& r) { return tag == 9 && read(r, list, limits); });
  return list;
}
Tensor tensor_of(const Attribute& a, Limits& limits) {
  return read_tensor(value_of<Bytes>(a, 5, {}), limits);
}
GraphProto graph_of(const Attribute& a, Limits& limits) {
  return read_graph(value_of<Bytes>(a, 6, {}), limits);
}

template <> std::vector<float> typed_data(const Tensor& t, std::uint64_t max) {
  return list_of<float>(t.message, 4, max);
}
template <> std::vector<std::int32_t> typed_data(const Tensor& t, std::uint64_t max) {
  return list_of<std::int32_t>(t.message, 5, max);
}
template <> std::vector<std::int64_t> typed_data(const Tensor& t, std::uint64_t max) {
  return list_of<std::int64_t>(t.message, 7, max);
}
template <> std::vector<double> typed_data(const Tensor& t, std::uint64_t max) {
  return list_of<double>(t.message, 10, max);
}
template <> std::vector<std::uint64_t> typed_data(const Tensor& t, std::uint64_t max) {
  return list_of<std::uint64_t>(t.message, 11, max);
}

}  // namespace webnn::inline v0_1::onnx
