#include "src/formats/tflite/export/model.h"

#include <cstring>
#include <map>
#include <set>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

constexpr std::uint64_t max_file = 0x7fffffff;
constexpr std::string_view runtime_key = "min_runtime_version";
constexpr std::size_t runtime_bytes = 16;

/// What the outputs need: the operators, and new numbers for their tensors.
struct Needed {
  std::vector<const OperatorRecord*> operators{};
  std::vector<Value> tensors{};         // by their index in the file
  std::map<int, std::int32_t> index{};  // the reverse

  Needed(const ModelRecord& model) {
    std::vector<bool> wanted(model.tensors.size());
    for (const Named& y : model.outputs) wanted[static_cast<std::size_t>(y.value.id)] = true;
    for (auto op = model.operators.rbegin(); op != model.operators.rend(); ++op) {
      const bool needed = std::any_of(op->outputs.begin(), op->outputs.end(), [&](Value y) {
        return wanted[static_cast<std::size_t>(y.id)];
      });
      if (!needed) continue;
      operators.push_back(&*op);
      for (const Value x : op->inputs)
        if (x) wanted[static_cast<std::size_t>(x.id)] = true;
    }
    std::reverse(operators.begin(), operators.end());
    for (const Named& x : model.inputs) add(x.value);
    for (const OperatorRecord* op : operators) {
      for (const Value x : op->inputs)
        if (x) add(x);
      for (const Value y : op->outputs) add(y);
    }
  }
  std::int32_t operator()(Value x) const { return x ? index.at(x.id) : -1; }
  std::vector<std::int32_t> operator()(const std::vector<Value>& list) const {
    std::vector<std::int32_t> out;
    for (const Value x : list) out.push_back((*this)(x));
    return out;
  }

 private:
  void add(Value x) {
    if (index.emplace(x.id, static_cast<std::int32_t>(tensors.size())).second) tensors.push_back(x);
  }
};

/// More than the file will have, so that its size is known before memory is taken.
std::uint64_t bound(const ModelRecord& model, const Needed& needed) {
  std::uint64_t total = 4096 + model.description.size();
  for (const Value x : needed.tensors) {
    const TensorRecord& t = model[x];
    total += 272 + t.name.size() + 4 * t.spec.shape.size();
    if (t.spec.quantizer) total += 12 * t.spec.quantizer->scale.size();
    if (t.constant) total += 64 + t.constant->bytes().size();
  }
  for (const OperatorRecord* op : needed.operators)
    total += 256 + 4 * (op->inputs.size() + op->outputs.size()) + op->custom_code.size() +
             op->custom_options.size();
  for (const auto* list : {&model.inputs, &model.outputs})
    for (const Named& n : *list) total += 64 + n.name.size();
  return total;
}

class Writer {
  template <class T, class F> auto list(const std::vector<T>& from, F&& f) {
    std::vector<decltype(f(from.front()))> out;
    for (const T& x : from) out.push_back(f(x));
    return b_.CreateVector(out);
  }

 public:
  Writer(const ModelRecord& model, const Needed& needed) : model_(model), needed_(needed) {}

  std::vector<std::byte> run() {
    name_tensors();
    buffers_.push_back(schema::CreateBuffer(b_));  // the one without data
    const auto tensors = list(needed_.tensors, [&](Value x) { return tensor(model_[x]); });
    const auto operators =
        list(needed_.operators, [&](const OperatorRecord* op) { return operator_(*op); });
    const auto inputs = b_.CreateVector(indices(model_.inputs));
    const auto outputs = b_.CreateVector(indices(model_.outputs));
    const auto name = b_.CreateString("main");
    const auto graph = schema::CreateSubGraph(b_, tensors, inputs, outputs, operators, name);
    const auto graphs = b_.CreateVector(std::vector{graph});
    const auto codes = b_.CreateVector(codes_);
    const auto description = b_.CreateString(model_.description);
    const auto metadata = b_.CreateVector(std::vector{runtime()});
    const auto buffers = b_.CreateVector(buffers_);
    const auto signatures = b_.CreateVector(std::vector{signature()});
    schema::FinishModelBuffer(b_, schema::CreateModel(b_, 3, codes, graphs, description, buffers, 0,
                                                      metadata, signatures));
    const auto bytes = std::as_bytes(std::span(b_.GetBufferPointer(), b_.GetSize()));
    return {bytes.begin(), bytes.end()};
  }

 private:
  /// Those of inputs and outputs are given; of the others the last of several of one name has it.
  void name_tensors() {
    std::set<std::string> taken;
    const auto give = [&](const TensorRecord& t, std::string name) {
      names_.emplace(&t, std::move(name));
    };
    for (const auto* list : {&model_.inputs, &model_.outputs})
      for (const Named& n : *list) {
        taken.insert(n.name);
        give(model_[n.value], n.name);
      }
    for (auto x = needed_.tensors.rbegin(); x != needed_.tensors.rend(); ++x) {
      const TensorRecord& t = model_[*x];
      if (names_.contains(&t)) continue;
      std::string name = t.name;
      while (!taken.insert(name).second) name = t.name + "/" + std::to_string(next_[t.name]++);
      give(t, std::move(name));
    }
  }
  std::vector<std::int32_t> indices(const std::vector<Named>& list) const {
    std::vector<std::int32_t> out;
    for (const Named& n : list) out.push_back(needed_(n.value));
    return out;
  }

  std::uint32_t buffer(std::span<const std::byte> bytes) {
    const std::string_view contents(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto [at, fresh] =
        buffer_of_.emplace(contents, static_cast<std::uint32_t>(buffers_.size()));
    if (!fresh) return at->second;
    b_.ForceVectorAlignment(bytes.size(), 1, 16);
    const auto data =
        b_.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    buffers_.push_back(schema::CreateBuffer(b_, data));
    return at->second;
  }

  fb::Offset<schema::Tensor> tensor(const TensorRecord& t) {
    const auto& [type, dims, quantizer] = t.spec;
    const std::uint32_t data = t.constant ? buffer(t.constant->bytes()) : 0;
    const auto shape = b_.CreateVector(std::vector<std::int32_t>(dims.begin(), dims.end()));
    const auto name = b_.CreateString(names_.at(&t));
    fb::Offset<schema::QuantizationParameters> quantization = 0;
    if (quantizer) {
      const auto scale = b_.CreateVector(quantizer->scale);
      const auto zero = b_.CreateVector(quantizer->zero_point);
      quantization = schema::CreateQuantizationParameters(
          b_, 0, 0, scale, zero, schema::QuantizationDetails::NONE, 0, quantizer->axis);
    }
    const auto signature = t.signature.empty() ? 0 : b_.CreateVector(t.signature);
    return schema::CreateTensor(b_, shape, type, data, name, quantization, false, 0, signature,
                                true);
  }

  std::uint32_t code(BuiltinOperator op, int version, const std::string& custom) {
    newest_ = std::max(newest_, runtime_of(op, version));
    const auto [at, fresh] = code_of_.emplace(std::tuple(op, version, custom),
                                              static_cast<std::uint32_t>(codes_.size()));
    if (fresh) {
      // Readers of before 2021 look at the old field, where 127 says that there is a new one.
      const int old = std::min(static_cast<int>(op), 127);
      const auto name = custom.empty() ? 0 : b_.CreateString(custom);
      codes_.push_back(
          schema::CreateOperatorCode(b_, static_cast<std::int8_t>(old), name, version, op));
    }
    return at->second;
  }

  fb::Offset<schema::Operator> operator_(const OperatorRecord& op) {
    const std::uint32_t index = code(op.code, version_of(model_, op), op.custom_code);
    const auto inputs = b_.CreateVector(needed_(op.inputs));
    const auto outputs = b_.CreateVector(needed_(op.outputs));
    const auto custom = op.custom_options.empty() ? 0 : b_.CreateVector(op.custom_options);
    return schema::CreateOperator(
        b_, index, inputs, outputs, op.options.type,
        op.options.type == schema::BuiltinOptions::NONE ? 0 : op.options.Pack(b_), custom);
  }

  fb::Offset<schema::Metadata> runtime() {
    std::array<std::byte, runtime_bytes> text{};
    const std::string version =
        std::to_string(newest_.first) + '.' + std::to_string(newest_.second) + ".0";
    std::memcpy(text.data(), version.data(), version.size());
    const std::uint32_t index = buffer(text);
    return schema::CreateMetadata(b_, b_.CreateString(runtime_key.data()), index);
  }

  fb::Offset<schema::SignatureDef> signature() {
    const auto map = [&](const Named& n) {
      const auto name = b_.CreateString(n.name);
      return schema::CreateTensorMap(b_, name, static_cast<std::uint32_t>(needed_(n.value)));
    };
    const auto inputs = list(model_.inputs, map);
    const auto outputs = list(model_.outputs, map);
    return schema::CreateSignatureDef(b_, inputs, outputs, b_.CreateString("serving_default"), 0);
  }

  const ModelRecord& model_;
  const Needed& needed_;
  fb::FlatBufferBuilder b_{};
  std::map<const TensorRecord*, std::string> names_{};
  std::map<std::string, int> next_{};  // number of another tensor of that name
  std::vector<fb::Offset<schema::Buffer>> buffers_{};
  std::map<std::string_view, std::uint32_t> buffer_of_{};  // equal constants share one
  std::vector<fb::Offset<schema::OperatorCode>> codes_{};
  std::map<std::tuple<BuiltinOperator, int, std::string>, std::uint32_t> code_of_{};
  std::pair<int, int> newest_{1, 5};
};

}  // namespace

std::vector<std::byte> write(const ModelRecord& model) {
  const Needed needed(model);
  if (const std::uint64_t bytes = bound(model, needed); bytes > max_file) {
    Failure failure = fail("the file would have up to {} bytes, more than {}", bytes, max_file);
    failure.name = ErrorName::NotSupportedError;
    raise(failure, "tflite export");
  }
  return Writer(model, needed).run();
}

}  // namespace webnn::inline v0_1::tflite::exporter
