// The fields of tables of verified flatbuffers, by their names in the schema. Private, and header
// only: the formats that use FlatBuffers include it.
#pragma once

#include <flatbuffers/reflection.h>

#include <cstring>
#include <optional>

#include "src/formats/common/file_view.h"

namespace webnn::inline v0_1::formats {

/// A schema as flatc embeds it, in memory that is aligned for it.
class EmbeddedSchema {
 public:
  template <class Binary> explicit EmbeddedSchema(Binary) : words_((Binary::size() + 7) / 8) {
    std::memcpy(words_.data(), Binary::data(), Binary::size());
    schema_ = reflection::GetSchema(words_.data());
  }
  const reflection::Schema& schema() const { return *schema_; }
  /// Null for a name that the schema does not have.
  const reflection::Object* object(const char* name) const {
    return schema_->objects()->LookupByKey(name);
  }

 private:
  std::vector<std::uint64_t> words_;
  const reflection::Schema* schema_ = nullptr;
};

/// A number, or the name of an enumerator, of a field. `at` is where it lies.
class FieldReader {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit FieldReader(const EmbeddedSchema& schema) : schema_(schema.schema()) {}

  /// The fields of a table with their values, those that are absent with the defaults. Tables
  /// within it have their fields behind a dot, "output_min_max.output_min".
  Fields fields_of(const reflection::Object& object, const flatbuffers::Table& table) const {
    Fields all;
    add(object, table, "", 0, all);
    return all;
  }
  /// Those of the table that a union holds; nothing where it is absent or not known.
  Fields union_fields(const reflection::Object& object, const flatbuffers::Table& table,
                      const char* field) const {
    Fields all;
    const reflection::Field* f = object.fields()->LookupByKey(field);
    if (f) add_union(object, *f, table, "", 0, all);
    return all;
  }

 private:
  using Base = reflection::BaseType;
  static constexpr int max_depth = 4;

  std::string scalar(const reflection::Type& type, Base base, const std::uint8_t* at) const {
    const auto read = [&]<class T>(T) { return flatbuffers::ReadScalar<T>(at); };
    switch (base) {
      case Base::Float: return view_number(static_cast<double>(read(float{})));
      case Base::Double: return view_number(read(double{}));
      case Base::Bool: return read(std::uint8_t{}) ? "true" : "false";
      case Base::UType:
      case Base::UByte: return named(type, read(std::uint8_t{}));
      case Base::Byte: return named(type, read(std::int8_t{}));
      case Base::UShort: return named(type, read(std::uint16_t{}));
      case Base::Short: return named(type, read(std::int16_t{}));
      case Base::UInt: return std::to_string(read(std::uint32_t{}));
      case Base::Int: return named(type, read(std::int32_t{}));
      case Base::ULong: return std::to_string(read(std::uint64_t{}));
      default: return std::to_string(read(std::int64_t{}));
    }
  }
  /// The name of an enumerator; the number where it has none.
  std::string named(const reflection::Type& type, std::int64_t value) const {
    if (type.index() >= 0)
      if (const auto* v = schema_.enums()
                              ->Get(static_cast<flatbuffers::uoffset_t>(type.index()))
                              ->values()
                              ->LookupByKey(value))
        return v->name()->str();
    return std::to_string(value);
  }
  static std::string of_default(const reflection::Field& f) {
    const bool real = f.type()->base_type() == Base::Float || f.type()->base_type() == Base::Double;
    return real ? view_number(f.default_real()) : std::to_string(f.default_integer());
  }

  void add(const reflection::Object& object, const flatbuffers::Table& table,
           const std::string& prefix, int depth, Fields& all) const {
    // In the order of the schema: the list is sorted by names.
    std::vector<const reflection::Field*> fields(object.fields()->size());
    for (const reflection::Field* f : *object.fields())
      if (f->id() < fields.size()) fields[f->id()] = f;
    for (const reflection::Field* f : fields)
      if (f && !f->deprecated()) add_field(object, *f, table, prefix, depth, all);
  }

  void add_field(const reflection::Object& object, const reflection::Field& f,
                 const flatbuffers::Table& table, const std::string& prefix, int depth,
                 Fields& all) const {
    const reflection::Type& type = *f.type();
    const std::string name = prefix + f.name()->str();
    switch (type.base_type()) {
      case Base::UType: return;  // its union says it
      case Base::Union: return add_union(object, f, table, prefix, depth, all);
      case Base::Obj: {
        const auto& inner =
            *schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(type.index()));
        const auto* t = table.GetPointer<const flatbuffers::Table*>(f.offset());
        if (t && !inner.is_struct() && depth < max_depth)
          add(inner, *t, name + '.', depth + 1, all);
        return;
      }
      case Base::String:
        if (const auto* s = table.GetPointer<const flatbuffers::String*>(f.offset()))
          all.emplace_back(name, s->str().substr(0, max_view_text));
        return;
      case Base::Vector: return add_vector(f, table, name, all);
      default: {
        const std::uint8_t* at = table.GetAddressOf(f.offset());
        if (at) all.emplace_back(name, scalar(type, type.base_type(), at));
        else if (type.index() >= 0) all.emplace_back(name, named(type, f.default_integer()));
        else if (type.base_type() == Base::Bool)
          all.emplace_back(name, f.default_integer() ? "true" : "false");
        else all.emplace_back(name, of_default(f));
      }
    }
  }

  void add_vector(const reflection::Field& f, const flatbuffers::Table& table,
                  const std::string& name, Fields& all) const {
    const auto* v = table.GetPointer<const flatbuffers::VectorOfAny*>(f.offset());
    if (!v) return;
    const Base element = f.type()->element();
    const std::size_t size = flatbuffers::GetTypeSize(element);
    if (element == Base::String || element == Base::Obj || element == Base::Vector ||
        element == Base::Union) {
      all.emplace_back(name, std::to_string(v->size()) + " entries");
      return;
    }
    std::vector<std::string> values;
    for (std::size_t i = 0; i < v->size() && i <= max_view_elements; ++i)
      values.push_back(scalar(*f.type(), element, v->Data() + i * size));
    all.emplace_back(name, view_list(values, [](const std::string& s) { return s; }));
  }

  void add_union(const reflection::Object& object, const reflection::Field& f,
                 const flatbuffers::Table& table, const std::string& prefix, int depth,
                 Fields& all) const {
    const std::string type_name = f.name()->str() + "_type";
    const reflection::Field* type = object.fields()->LookupByKey(type_name.c_str());
    const auto* t = table.GetPointer<const flatbuffers::Table*>(f.offset());
    if (!type || !t || depth >= max_depth) return;
    const auto kind = table.GetField<std::uint8_t>(type->offset(), 0);
    const auto* member = schema_.enums()
                             ->Get(static_cast<flatbuffers::uoffset_t>(f.type()->index()))
                             ->values()
                             ->LookupByKey(kind);
    if (!member || !member->union_type() || member->union_type()->base_type() != Base::Obj) return;
    add(*schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(member->union_type()->index())),
        *t, prefix, depth + 1, all);
  }

  const reflection::Schema& schema_;
};

}  // namespace webnn::inline v0_1::formats
