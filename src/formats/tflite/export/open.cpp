// Models of one graph with open dimensions at several sizes.
#include "src/formats/tflite/export/model.h"

#include <algorithm>

namespace webnn::inline v0_1::tflite::exporter {
namespace {

std::vector<std::uint8_t> packed(const OperatorRecord& op) {
  fb::FlatBufferBuilder b;
  if (op.options.type == schema::BuiltinOptions::NONE) return {};
  b.Finish(fb::Offset<fb::Table>(op.options.Pack(b).o));
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

bool same(const TensorRecord& a, const TensorRecord& b) {
  if (a.spec.type != b.spec.type || a.spec.quantizer != b.spec.quantizer ||
      a.constant.has_value() != b.constant.has_value() ||
      a.spec.shape.size() != b.spec.shape.size())
    return false;
  return !a.constant || (a.spec.shape == b.spec.shape &&
                         std::ranges::equal(a.constant->bytes(), b.constant->bytes()));
}

}  // namespace

std::optional<std::string> difference(const ModelRecord& a, const ModelRecord& b) {
  for (std::size_t i = 0; i < std::max(a.operators.size(), b.operators.size()); ++i) {
    if (i >= a.operators.size()) return b[b.operators[i].outputs.front()].name;
    const OperatorRecord& x = a.operators[i];
    const std::string& name = a[x.outputs.front()].name;
    if (i >= b.operators.size()) return name;
    const OperatorRecord& y = b.operators[i];
    if (x.code != y.code || x.inputs != y.inputs || x.outputs != y.outputs ||
        packed(x) != packed(y) || x.custom_options != y.custom_options)
      return name;
    for (const auto* list : {&x.inputs, &x.outputs})
      for (const Value v : *list)
        if (v && !same(a[v], b[v])) return name;
  }
  return std::nullopt;
}

void open_dimensions(ModelRecord& model, const ModelRecord& other) {
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    TensorRecord& t = model.tensors[i];
    const Dims &own = t.spec.shape, &shape = other.tensors[i].spec.shape;
    if (own == shape) continue;
    if (t.signature.empty()) t.signature.assign(own.begin(), own.end());
    for (std::size_t d = 0; d < own.size(); ++d)
      if (own[d] != shape[d]) t.signature[d] = -1;
  }
}

}  // namespace webnn::inline v0_1::tflite::exporter
