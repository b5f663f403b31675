// Custom operators of a file that the context has.
#include "src/formats/tflite/import/call.h"
#include "src/formats/tflite/options.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::tflite {

std::shared_ptr<const CustomOperator> custom_operator_of(const Import& import,
                                                         const schema::Operator& op) {
  if (code_of(import.file, op) != schema::BuiltinOperator::CUSTOM) return nullptr;
  const auto& code = *import.file.model->operator_codes()->Get(op.opcode_index());
  const std::string_view name = text_of(code.custom_code());
  std::shared_ptr<const CustomOperator> found;
  const auto consider = [&](const std::shared_ptr<const CustomOperator>& o) {
    if (o->name != name || std::int64_t{o->version} > std::max(code.version(), 1)) return;
    if (!found || found->version < o->version) found = o;
  };
  for (const auto& o : custom_operators(import.builder.context())) consider(o);
  for (const auto& o : operators::all()) consider(o);
  return found;
}

void import_custom(Call& call, const schema::Operator& op,
                   std::shared_ptr<const CustomOperator> definition) {
  std::vector<MLOperand> inputs;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    if (!call.has(i)) call.unsupported(fail("its input {} is missing", i));
    inputs.push_back(call.value(i));
  }
  CustomOptions options;
  const auto bytes = elements_of(op.custom_options());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (definition->attributes.find(options_attribute)) {
    options.attributes = {{std::string(options_attribute), std::string(text)}};
  } else if (!bytes.empty()) {
    auto given = attributes_from(std::as_bytes(bytes));
    if (!given) call.refuse(given.failure());
    options.attributes = std::move(*given);
  }
  options.label = std::string(truncated(call.out().name, 256));
  const std::vector<MLOperand> results =
      call.b.custom(std::move(definition), std::move(inputs), std::move(options));
  if (call.outputs() > results.size())
    call.unsupported(
        fail("it has {} outputs, but its custom operator has {}", call.outputs(), results.size()));
  for (std::size_t i = 0; i < call.outputs(); ++i) call.put(results[i], i);
}

}  // namespace webnn::inline v0_1::tflite
