// Inputs, constants and graphs of the 2023 draft, and the operators that only changed their form.
#include <set>

#include "src/builder/builder_state.h"
#include "src/draft2023/members.h"
#include "src/graph/failure.h"
#include "webnn/draft2023.h"

namespace webnn::inline v0_1::draft2023 {

static_assert(has_exactly<webnn::MLBatchNormalizationOptions, 5>);  // all are passed on

void raise_data_error(const TypeError& e) {
  raise({e.reason(), ErrorName::DataError}, e.op(), e.label());
}

namespace {

[[noreturn]] void refuse(const Failure& f, std::string_view op, std::string_view label = {}) {
  raise({f.message, ErrorName::DataError}, op, label);
}

webnn::MLOperandDescriptor descriptor(const MLOperandDescriptor& d, std::string_view method,
                                      std::string_view label = {}) {
  if (d.dimensions && d.dimensions->empty())
    refuse(fail("the dimensions are empty; a scalar has none at all"), method, label);
  return {d.type, d.dimensions.value_or(Dims{})};
}

/// Throws DataError for two inputs of one name that the outputs need.
void check_input_names(const GraphData& data, const NamedOperands& outputs) {
  const auto graph = copy(data, outputs);
  std::set<std::string_view> names;
  for (const auto& [name, x] : graph->inputs)
    if (!names.insert(name).second)
      refuse(fail("the outputs need two inputs of that name"), "build", name);
}

}  // namespace

MLGraphBuilder::MLGraphBuilder(MLContext context) : core_(std::move(context)) {
  detail::state_of(core_)->reusable = true;
}

MLOperand MLGraphBuilder::input(std::string name, const MLOperandDescriptor& d) {
  if (name.empty()) raise(fail("the name is empty"), "input");
  return as_data_error([&] { return core_.input(name, descriptor(d, "input", name)); });
}

MLOperand MLGraphBuilder::constant(const MLOperandDescriptor& d, InputView values) {
  const auto core = descriptor(d, "constant");
  if (values.views(core.dataType) && values.size() == byte_length(core))
    return as_data_error([&] { return core_.constant(core, values); });
  return core_.constant(core, values);  // refuses what does not fit with a TypeError
}

MLOperand MLGraphBuilder::constant(double value, MLOperandDataType type) {
  return core_.constant(type, value);
}

MLGraph MLGraphBuilder::build(const NamedOperands& outputs) {
  return as_data_error([&] {
    std::unique_lock lock(detail::state_of(core_)->mutex);
    NamedOperands results = outputs;
    const GraphData& data = detail::state_of(core_)->data;
    for (auto& [name, x] : results)
      if (x && owner_of(x) == &data && x.record().kind != OperandKind::result)
        x = core_.identity(x);
    if (!results.empty() && std::all_of(results.begin(), results.end(), [&](const auto& r) {
          return r.operand && owner_of(r.operand) == &data;
        }))
      check_input_names(data, results);
    lock.unlock();
    return core_.build(results);
  });
}

MLOperand MLGraphBuilder::softmax(const MLOperand& x) {
  if (x && x.rank() != 2)
    refuse(fail("the rank ({}) of input is not 2, which it is without an axis", x.rank()),
           "softmax");
  return softmax(x, 1);
}
MLActivation softmax_activation() {
  return {"softmax", [](webnn::MLGraphBuilder& b, const MLOperand& x) {
            if (x.rank() != 2)
              refuse(fail("the rank ({}) of input is not 2, which it is without an axis", x.rank()),
                     "softmax");
            return b.softmax(x, 1);
          }};
}

MLOperand MLGraphBuilder::softplus(const MLOperand& x, const MLSoftplusOptions& o) {
  return as_data_error([&] { return softplus(o).apply(core_, x); });
}
MLActivation MLGraphBuilder::softplus(const MLSoftplusOptions& o) {
  if (!(o.steepness < 0 || o.steepness > 0))
    refuse(fail("steepness ({}) is zero or not a number", o.steepness), "softplus", o.label);
  if (o.steepness == 1) return MLActivation(ops::softplus{{}, {.label = o.label}});
  return {"softplus", [o](webnn::MLGraphBuilder& b, const MLOperand& x) {
            const MLOperand steeper = b.linear(x, {.alpha = o.steepness, .label = o.label});
            return b.div(b.softplus(steeper, {.label = o.label}),
                         b.constant(x.dataType(), o.steepness), {.label = o.label});
          }};
}

MLOperand MLGraphBuilder::prelu(const MLOperand& x, const MLOperand& slope, MLOperatorOptions o) {
  if (x && slope && !shape::broadcasts_to(shape::sizes(slope.shape()), shape::sizes(x.shape())))
    refuse(fail("the shape ({}) of slope does not broadcast to that of input ({})", slope.shape(),
                x.shape()),
           "prelu", o.label);
  return as_data_error([&] { return core_.prelu(x, slope, std::move(o)); });
}

MLOperand MLGraphBuilder::resample2d(const MLOperand& x, MLResample2dOptions o) {
  if (o.axes.size() == 2 && std::uint64_t{o.axes[0]} + 1 != o.axes[1])
    refuse(fail("the axes ({}) do not follow one another", o.axes), "resample2d", o.label);
  return as_data_error([&] { return core_.resample2d(x, std::move(o)); });
}

MLOperand MLGraphBuilder::batchNormalization(const MLOperand& input, const MLOperand& mean,
                                             const MLOperand& variance,
                                             MLBatchNormalizationOptions o) {
  return as_data_error([&] {
    const MLOperand y = core_.batchNormalization(input, mean, variance,
                                                 {.scale = std::move(o.scale),
                                                  .bias = std::move(o.bias),
                                                  .axis = o.axis,
                                                  .epsilon = o.epsilon,
                                                  .label = std::move(o.label)});
    return o.activation ? o.activation->apply(core_, y) : y;
  });
}

}  // namespace webnn::inline v0_1::draft2023
