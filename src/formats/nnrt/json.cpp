#include "src/formats/nnrt/json.h"

#include <charconv>

#include "src/formats/nnrt/names.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::nnrt {
namespace {

using formats::Bad;
using formats::Value;

// Fields, in both directions.

Value json_of(bool v) { return formats::to_value(v); }
Value json_of(float v) { return formats::to_value(v); }
Value json_of(double v) { return formats::to_value(v); }
Value json_of(std::int32_t v) { return formats::to_value(v); }
Value json_of(std::uint32_t v) { return formats::to_value(v); }
Value json_of(std::int64_t v) { return Value::number(std::to_string(v)); }
Value json_of(const std::string& v) { return Value::string(v); }
template <Enumeration E> Value json_of(E v) {
  const std::string_view name = enumerator(v);
  if (!name.empty()) return Value::string(std::string(name));
  return Value::number(std::to_string(static_cast<std::int64_t>(v)));
}
template <class T> Value json_of(const std::vector<T>& list) {
  Value all = Value::list();
  for (const T& v : list) all.items.push_back(json_of(v));
  return all;
}

Bad read(const Value& j, bool& v) { return formats::from_value(j, v); }
Bad read(const Value& j, float& v) { return formats::from_value(j, v); }
Bad read(const Value& j, double& v) { return formats::from_value(j, v); }
Bad read(const Value& j, std::int32_t& v) { return formats::from_value(j, v); }
Bad read(const Value& j, std::uint32_t& v) { return formats::from_value(j, v); }
Bad read(const Value& j, std::string& v) { return formats::from_value(j, v); }
Bad read(const Value& j, std::int64_t& v) {
  const char *begin = j.text.data(), *end = begin + j.text.size();
  const auto [after, error] = std::from_chars(begin, end, v);
  if (j.kind == Value::Kind::number && error == std::errc() && after == end) return std::nullopt;
  return fail("{} is not an integer of 64 bits", formats::shown(j));
}
template <Enumeration E> Bad read(const Value& j, E& v) {
  const auto found = j.is_text() ? enumerator_of<E>(j.text) : std::nullopt;
  if (!found) return fail("{} is not an enumerator of its type", formats::shown(j));
  v = *found;
  return std::nullopt;
}
Bad read(const Value& j, QuantParam& q);
template <class T> Bad read(const Value& j, std::vector<T>& list) {
  if (j.kind != Value::Kind::list) return fail("{} is not a list", formats::shown(j));
  list.resize(j.items.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    if (auto bad = read(j.items[i], list[i])) return bad;
  return std::nullopt;
}

/// With the name of a field before it, and where the field is in the file.
Failure at(std::string_view key, const Value& v, const Failure& f) {
  return fail("{} (byte {}): {}", key, v.offset, f.message);
}

/// A field that must be there.
template <class T> Bad required(const Value& object, std::string_view key, T& v) {
  const Value* found = object.find(key);
  if (!found) return fail("{} is missing", key);
  if (auto bad = read(*found, v)) return at(key, *found, *bad);
  return std::nullopt;
}
template <class... T> Bad all_required(const Value& object, std::pair<std::string_view, T&>... f) {
  Bad bad;
  static_cast<void>(((bad = required(object, f.first, f.second)).has_value() || ...));
  return bad;
}

Value attributes_json(const Attributes& attributes) {
  return std::visit(
      [](const auto& a) {
        Value object = Value::object();
        std::apply([&](auto... f) { (object.set(std::string(f.name), json_of(a.*f.member)), ...); },
                   std::remove_cvref_t<decltype(a)>::fields);
        return object;
      },
      attributes);
}
/// Fields that are not there have their defaults: those of older versions are fewer.
Bad read_attributes(const Value& j, Attributes& attributes) {
  if (j.kind != Value::Kind::object) return fail("{} is not an object", formats::shown(j));
  return std::visit(
      [&](auto& a) {
        Bad bad;
        const auto one = [&](const auto& f) {
          const Value* found = j.find(f.name);
          if (found && !bad)
            if (auto wrong = read(*found, a.*f.member)) bad = at(f.name, *found, *wrong);
        };
        std::apply([&](auto... f) { (one(f), ...); }, std::remove_cvref_t<decltype(a)>::fields);
        return bad;
      },
      attributes);
}

Value node_json(const Node& n) {
  Value j = Value::object();
  j.set("name", json_of(n.name)).set("nodeType", json_of(node_type(n.attributes)));
  j.set("nodeAttr", attributes_json(n.attributes));
  j.set("inputIndex", json_of(n.inputIndex)).set("outputIndex", json_of(n.outputIndex));
  return j.set("quantType", json_of(n.quantType));
}
Bad read(const Value& j, Node& n) {
  NodeType type{};
  if (auto bad = all_required<std::string, NodeType>(j, {"name", n.name}, {"nodeType", type}))
    return bad;
  const auto made = attributes_of(type);
  if (!made) return fail("nodeType: {} has no attributes", name_of(type));
  n.attributes = *made;
  if (const Value* attributes = j.find("nodeAttr"))
    if (auto bad = read_attributes(*attributes, n.attributes))
      return at("nodeAttr", *attributes, *bad);
  return all_required<std::vector<std::uint32_t>, std::vector<std::uint32_t>, QuantType>(
      j, {"inputIndex", n.inputIndex}, {"outputIndex", n.outputIndex}, {"quantType", n.quantType});
}

Value tensor_json(const Tensor& t, const Place& place) {
  Value j = Value::object();
  j.set("name", json_of(t.name)).set("dataType", json_of(t.dataType)).set("dims", json_of(t.dims));
  j.set("format", json_of(t.format));
  if (t.data) {
    Value data = Value::object();
    data.set("offset", Value::number(place.offset)).set("dataSize", Value::number(place.size));
    j.set("data", std::move(data));
  }
  Value params = Value::list();
  for (const QuantParam& q : t.quantParams) {
    Value p = Value::object();
    p.set("numBits", json_of(q.numBits)).set("zeroPoint", json_of(q.zeroPoint));
    params.items.push_back(std::move(p.set("scale", json_of(q.scale))));
  }
  return j.set("quantParams", std::move(params));
}
Bad read(const Value& j, QuantParam& q) {
  return all_required<std::int32_t, std::int32_t, double>(
      j, {"numBits", q.numBits}, {"zeroPoint", q.zeroPoint}, {"scale", q.scale});
}
Bad read_tensor(const Value& j, Tensor& t, const std::shared_ptr<const void>& owner,
                std::span<const std::byte> data) {
  if (auto bad = all_required<std::string, DataType, std::vector<std::int32_t>, Format,
                              std::vector<QuantParam>>(
          j, {"name", t.name}, {"dataType", t.dataType}, {"dims", t.dims}, {"format", t.format},
          {"quantParams", t.quantParams}))
    return bad;
  const Value* place = j.find("data");
  if (!place) return std::nullopt;
  std::int64_t offset = 0, size = 0;
  if (auto bad =
          all_required<std::int64_t, std::int64_t>(*place, {"offset", offset}, {"dataSize", size}))
    return at("data", *place, *bad);
  const auto most = static_cast<std::int64_t>(data.size());
  if (offset < 0 || size < 0 || offset > most || size > most - offset)
    return at("data", *place,
              fail("{} bytes at {} exceed the {} bytes of data", size, offset, most));
  t.data = Constant(owner,
                    data.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)));
  return std::nullopt;
}

Value subgraph_json(const SubGraph& s) {
  Value j = Value::object();
  j.set("name", json_of(s.name)).set("inputIndices", json_of(s.inputIndices));
  j.set("outputIndices", json_of(s.outputIndices));
  return j.set("nodeIndices", json_of(s.nodeIndices));
}
Bad read(const Value& j, SubGraph& s) {
  using Indices = std::vector<std::uint32_t>;
  return all_required<std::string, Indices, Indices, Indices>(
      j, {"name", s.name}, {"inputIndices", s.inputIndices}, {"outputIndices", s.outputIndices},
      {"nodeIndices", s.nodeIndices});
}

/// A list of tables, each of which says which one it is when it is wrong.
template <class T, class F>
Bad read_tables(const Value& j, std::string_view key, std::vector<T>& list, F&& read_one) {
  const Value* found = j.find(key);
  if (!found || found->kind != Value::Kind::list) return fail("{} is not a list", key);
  list.resize(found->items.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value& item = found->items[i];
    if (auto bad = read_one(item, list[i]))
      return at(std::string(key) + '[' + std::to_string(i) + ']', item, *bad);
  }
  return std::nullopt;
}
std::vector<std::uint64_t> offsets_of(const Value& j, std::string_view key) {
  std::vector<std::uint64_t> all;
  for (const Value& item : j.find(key)->items) all.push_back(item.offset);
  return all;
}

}  // namespace

Value to_json(const Model& model, const std::vector<Place>& places) {
  Value j = Value::object();
  j.set("name", json_of(model.name)).set("inputIndex", json_of(model.inputIndex));
  j.set("outputIndex", json_of(model.outputIndex));
  Value nodes = Value::list(), tensors = Value::list(), graphs = Value::list();
  for (const Node& n : model.nodes) nodes.items.push_back(node_json(n));
  for (std::size_t i = 0; i < model.allTensors.size(); ++i)
    tensors.items.push_back(tensor_json(model.allTensors[i], places[i]));
  for (const SubGraph& s : model.subGraph) graphs.items.push_back(subgraph_json(s));
  j.set("nodes", std::move(nodes)).set("allTensors", std::move(tensors));
  return j.set("subGraph", std::move(graphs));
}

Result<ModelFile> from_json(const Value& json, const std::shared_ptr<const void>& owner,
                            std::span<const std::byte> data) {
  Model m;
  using Indices = std::vector<std::uint32_t>;
  if (auto bad = all_required<std::string, Indices, Indices>(
          json, {"name", m.name}, {"inputIndex", m.inputIndex}, {"outputIndex", m.outputIndex}))
    return *bad;
  if (auto bad =
          read_tables(json, "nodes", m.nodes, [](const Value& j, Node& n) { return read(j, n); }))
    return *bad;
  if (auto bad = read_tables(json, "allTensors", m.allTensors, [&](const Value& j, Tensor& t) {
        return read_tensor(j, t, owner, data);
      }))
    return *bad;
  if (auto bad = read_tables(json, "subGraph", m.subGraph,
                             [](const Value& j, SubGraph& s) { return read(j, s); }))
    return *bad;
  return ModelFile{
      std::move(m),
      {json.find("inputIndex")->offset, json.find("outputIndex")->offset,
       json.find("subGraph")->offset, offsets_of(json, "nodes"), offsets_of(json, "allTensors")}};
}

}  // namespace webnn::inline v0_1::nnrt
