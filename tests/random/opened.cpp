#include "tests/random/opened.h"

#include <cstring>

#include "src/builder/loop_recorder.h"
#include "src/graph/op.h"
#include "tests/random/exported.h"
#include "tests/random/rebuild.h"
#include "tests/support/random.h"

namespace webnn::inline v0_1::test {
namespace {

/// A name of dimensions: the size that they had, and the one that they have now.
struct Name {
  std::string name;
  std::uint32_t before = 0, now = 0;
  MLOperand from{};  // an input of the open graph that has it
  std::uint32_t axis = 0;
};

struct Plan {
  std::map<std::string, std::vector<int>> inputs{};  // by dimension: the index of a name, or -1
  std::vector<Name> names{};
  std::uint64_t seed = 0;

  /// The name that says how often something is done with an output, or none.
  int loop_of(std::size_t output) const {
    Random random(seed + 7919 * output);
    if (names.empty() || random.uniform(0, 1) > 0.12) return -1;
    return static_cast<int>(random.integer(0, static_cast<std::uint32_t>(names.size()) - 1));
  }
  /// The name that a number of a shape attribute stands for, or none.
  int name_of(std::uint32_t number, std::size_t node, std::size_t at) const {
    Random random(seed + 977 * node + at);
    if (random.uniform(0, 1) < 0.3) return -1;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].before == number && number > 1) return static_cast<int>(i);
    return -1;
  }
};

Plan plan_of(const Case& c, std::uint64_t seed) {
  Plan plan{.seed = seed};
  Random random(seed);
  const double share = random.uniform(0.1, 0.9);
  for (const auto& [name, x] : c.graph.inputs()) {
    std::vector<int>& dims = plan.inputs[name];
    for (const std::uint32_t size : x.shape()) {
      dims.push_back(-1);
      if (random.uniform(0, 1) > share) continue;
      const bool alike = random.uniform(0, 1) < 0.8;  // one name for dimensions of one size
      for (std::size_t i = 0; alike && i < plan.names.size(); ++i)
        if (plan.names[i].before == size) dims.back() = static_cast<int>(i);
      if (dims.back() >= 0) continue;
      dims.back() = static_cast<int>(plan.names.size());
      plan.names.push_back({"n" + std::to_string(plan.names.size()), size, size});
    }
  }
  return plan;
}

/// The first elements, along each dimension repeated to the new size.
Tensor resized(const Tensor& old, const std::vector<int>& dims, const Plan& plan) {
  Tensor t{old.type, old.shape, {}};
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] >= 0) t.shape[d] = plan.names[static_cast<std::size_t>(dims[d])].now;
  if (t.shape == old.shape) return old;
  t.bytes.resize(static_cast<std::size_t>(byte_length(t.descriptor())));
  std::size_t i = 0;
  for_each_place(t.shape, [&](const Dims& at) {
    Dims from = at;
    for (std::size_t d = 0; d < from.size(); ++d) from[d] %= old.shape[d];
    const std::size_t place = place_in(old.shape, from), bytes = bits_of(old.type) / 8;
    if (bytes == 0) t.set(i, old[place]);
    else std::memcpy(&t.bytes[i * bytes], &old.bytes[place * bytes], bytes);
    ++i;
  });
  return t;
}

Inputs inputs_of(const Case& c, const Plan& plan) {
  Inputs inputs;
  for (const auto& [name, values] : c.inputs) {
    const auto dims = plan.inputs.find(name);
    inputs[name] = dims == plan.inputs.end() ? values : resized(values, dims->second, plan);
  }
  return inputs;
}

/// Builds the graph anew: with open dimensions, or at the sizes of now.
class Copy {
 public:
  Copy(const MLContext& context, const Case& c, Plan& plan, bool open)
      : builder_(context), case_(c), plan_(plan), open_(open), now_(c.graph.operand_count()) {}

  MLGraph run() {
    NamedOperands listed;
    for (const auto& [name, x] : case_.graph.inputs()) {
      listed.push_back({name, input(name, x)});
      now_[x.record().id] = listed.back().operand;
    }
    for (std::size_t i = 0; i < case_.graph.size(); ++i) add(i);
    NamedOperands outputs;
    for (const auto& [name, y] : case_.graph.outputs()) {
      const int n = plan_.loop_of(outputs.size());
      outputs.push_back({name, operand(y)});
      if (n >= 0 && types::floats.contains(y.dataType()))
        outputs.back().operand =
            repeated(outputs.back().operand, plan_.names[static_cast<std::size_t>(n)]);
    }
    return builder_.build(outputs, {.inputs = listed});
  }

 private:
  /// As often as the size of the name says, which the open graph has as a loop.
  MLOperand repeated(MLOperand y, const Name& n) {
    const auto step = [&](const MLOperand& state, const MLOperand& iteration) {
      return builder_.sub(builder_.cast(iteration, y.dataType()), state);
    };
    if (!open_) {
      for (std::uint32_t i = 0; i < n.now; ++i) y = step(y, builder_.constant(int64, MLNumber(i)));
      return y;
    }
    LoopRecorder loop(builder_, builder_.cast(builder_.dimension(n.from, n.axis), int64),
                      builder_.constant(uint8, 1));
    loop.begin();
    return loop.finish({step(loop.state(y), loop.iteration())}, {}, {}, "repeated").front();
  }
  MLOperand input(const std::string& name, const MLOperand& x) {
    const std::vector<int>& dims = plan_.inputs.at(name);
    MLInputOperandDescriptor d{x.dataType(), x.shape()};
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (dims[i] >= 0) {
        const Name& n = plan_.names[static_cast<std::size_t>(dims[i])];
        d.shape[i] = open_ ? MLDimension(n.name) : MLDimension(n.now);
      }
    const MLOperand made = builder_.input(name, d);
    for (std::size_t i = 0; i < dims.size() && open_; ++i)
      if (dims[i] >= 0) {
        Name& n = plan_.names[static_cast<std::size_t>(dims[i])];
        n.from = made, n.axis = static_cast<std::uint32_t>(i);
      }
    return made;
  }
  MLOperand operand(const MLOperand& old) {
    MLOperand& now = now_[old.record().id];
    if (!now) {
      const Tensor values = values_of(case_, old);
      now = builder_.constant(values.descriptor(), values.bytes);
    }
    return now;
  }

  /// A shape attribute at the sizes of now.
  Dims sizes(Dims shape, std::size_t node) const {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (const int n = plan_.name_of(shape[d], node, d); n >= 0)
        shape[d] = plan_.names[static_cast<std::size_t>(n)].now;
    return shape;
  }
  /// The same as an operand: dimensions of inputs, and constants.
  MLOperand shape_operand(const Dims& shape, std::size_t node) {
    std::vector<MLOperand> parts;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const int n = plan_.name_of(shape[d], node, d);
      const MLOperand size =
          n < 0 ? builder_.constant(uint32, MLNumber(shape[d]))
                : builder_.dimension(plan_.names[static_cast<std::size_t>(n)].from,
                                     plan_.names[static_cast<std::size_t>(n)].axis);
      parts.push_back(builder_.reshape(size, {1}));
    }
    return builder_.concat(parts, 0);
  }
  bool is_named(const Dims& shape, std::size_t node) const {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (plan_.name_of(shape[d], node, d) >= 0) return true;
    return false;
  }

  template <class T> std::vector<MLOperand> append(T op, std::size_t node) {
    if constexpr (std::same_as<T, ops::reshape> || std::same_as<T, ops::expand>) {
      if (is_named(op.newShape, node)) {
        if (!open_) op.newShape = sizes(op.newShape, node);
        else if (std::same_as<T, ops::reshape>)
          return {builder_.reshapeDynamic(op.input, shape_operand(op.newShape, node), op.options)};
        else
          return {builder_.expandDynamic(op.input, shape_operand(op.newShape, node), op.options)};
      }
    }
    if constexpr (std::same_as<T, ops::slice>) {
      if (is_named(op.sizes, node)) {
        const auto starts =
            builder_.constant({uint32, {static_cast<std::uint32_t>(op.starts.size())}},
                              std::span(std::as_const(op.starts)));
        if (!open_) op.sizes = sizes(op.sizes, node);
        else
          return {
              builder_.sliceDynamic(op.input, starts, shape_operand(op.sizes, node), op.options)};
      }
    }
    if constexpr (std::same_as<T, ops::gru> || std::same_as<T, ops::lstm>) {
      if (Random(plan_.seed + 977 * node).uniform(0, 1) < 0.8) {
        if (!open_) op.steps = op.input.shape()[0];
        else if (const auto shape = op.input.dimensions(); !shape || (*shape)[0].is_open())
          op.steps = 0;
      }
    }
    if constexpr (ops::returns_list<T>()) return builder_.append(std::move(op));
    else return {builder_.append(std::move(op))};
  }

  void add(std::size_t i) {
    const Node node = case_.graph.node(i);
    visit<ops::AllOps>(
        [&](const auto& op) {
          auto copied = op;
          ops::for_each_operand(copied, [&](const auto&, auto& value) {
            ops::each(value, [&](MLOperand& x) { x = operand(x); });
          });
          const std::vector<MLOperand> made = append(std::move(copied), i);
          for (std::size_t k = 0; k < std::min(made.size(), node.outputs().size()); ++k)
            now_[node.output(k).record().id] = made[k];
        },
        node.kind(), node.op());
  }

  MLGraphBuilder builder_;
  const Case& case_;
  Plan& plan_;
  bool open_;
  std::vector<MLOperand> now_;
};

std::vector<Tensor> results(MLContext context, const MLGraph& graph, const Inputs& inputs) {
  std::vector<NamedInput> in;
  std::vector<NamedShape> shapes;
  for (const auto& [name, d] : graph.inputs()) {
    const Tensor& t = inputs.at(name);
    if (t.shape.empty()) in.push_back({name, InputView(t.bytes)});
    else in.push_back({name, InputView(t.bytes, std::span<const std::uint32_t>(t.shape))});
    shapes.push_back({name, t.shape});
  }
  std::vector<Tensor> out;
  std::vector<NamedOutput> views;
  const NamedDescriptors outputs = graph.computeShapes(shapes);
  for (const auto& [name, d] : outputs) {
    Tensor& t = out.emplace_back(Tensor{d.dataType, d.shape, {}});
    t.bytes.assign(static_cast<std::size_t>(byte_length(d)), std::byte{0xcd});
  }
  for (std::size_t i = 0; i < out.size(); ++i) views.push_back({outputs[i].name, out[i].bytes});
  context.compute(graph, in, views);
  return out;
}

std::string sizes_text(const Plan& plan) {
  std::string s;
  for (const Name& n : plan.names)
    s += " " + n.name + "=" + std::to_string(n.before) + "->" + std::to_string(n.now);
  return s;
}

void choose_sizes(Plan& plan, Random& random) {
  for (Name& n : plan.names)
    n.now = random.uniform(0, 1) < 0.5 ? n.before
                                       : n.before * random.integer(1, 2) + random.integer(0, 1);
}

/// The first output that differs; nothing when none does.
std::string difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string which = "output " + std::to_string(i);
    if (a[i].shape != b[i].shape) return which + " has another shape";
    if (a[i].bytes == b[i].bytes) continue;
    for (std::size_t k = 0; k < a[i].size(); ++k)
      if (!(a[i][k] == b[i][k]))
        return which + ", element " + std::to_string(k) + ": " + std::to_string(a[i][k]) +
               ", not " + std::to_string(b[i][k]);
    return which + ": other bits";
  }
  return "";
}

/// How an open graph that went through a file differs from the static graph of the sizes of now
/// that went through the same format: formats may insert operators, which round.
std::string difference(const MLContext& context, const Case& c, Plan& plan,
                       const FileFormat& format, const MLGraph& open) {
  std::optional<MLGraph> fixed;
  std::string why;
  try {
    fixed = format.through(Copy(context, c, plan, false).run(), context);
    if (!fixed) return {};
  } catch (const TypeError& e) { why = e.what(); }
  const Inputs inputs = inputs_of(c, plan);
  std::vector<Tensor> got;
  try {
    got = results(context, open, inputs);
  } catch (const TypeError& e) { return fixed ? std::string("refused: ") + e.what() : ""; }
  if (!fixed) return "accepted, but: " + why;
  const std::string found = difference(got, results(context, *fixed, inputs));
  return found.empty() ? "" : "other results: " + found;
}

/// The open graph through each format that can say it.
std::optional<Mismatch> check_files(const Case& c, Plan plan, OpenedStatistics& statistics) {
  static const MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  const MLGraph open = Copy(context, c, plan, true).run();
  for (const FileFormat& format : file_formats()) {
    const auto mismatch = [&](const std::string& text) {
      return Mismatch{"open through " + std::string(format.name),
                      sizes_text(plan) + ": " + text + " in\n" + to_text(open.graph())};
    };
    std::optional<MLGraph> again;
    try {
      again = format.through(open, context);
    } catch (const DataError& e) {
      if (format.name == "text") return mismatch(e.what());
      ++statistics.unfound_in_files;
    } catch (const std::exception& e) { return mismatch(e.what()); }
    if (!again) continue;
    Random random(plan.seed + 2);
    for (int round = 0; round < 3; ++round, choose_sizes(plan, random)) {
      const std::string text = difference(context, c, plan, format, *again);
      if (!text.empty()) return mismatch(text);
      ++statistics.by_format[format.name];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mismatch> check_opened(const MLContext& context, const Case& c, std::uint64_t seed,
                                     OpenedStatistics& statistics) {
  Plan plan = plan_of(c, seed);
  if (plan.names.empty()) return std::nullopt;
  ++statistics.graphs;
  MLGraph open;
  try {
    open = Copy(context, c, plan, true).run();
  } catch (const TypeError&) {
    ++statistics.unfound;
    return std::nullopt;
  } catch (const std::exception& e) {
    return Mismatch{"open build", sizes_text(plan) + ": " + e.what()};
  }
  Random random(seed + 1);
  for (int round = 0; round < 3; ++round) {
    if (round > 0) choose_sizes(plan, random);
    std::optional<MLGraph> fixed;
    std::string why;
    try {
      fixed = Copy(context, c, plan, false).run();
    } catch (const TypeError& e) { why = e.what(); }
    const Inputs inputs = inputs_of(c, plan);
    std::vector<Tensor> got;
    try {
      got = results(context, open, inputs);
    } catch (const TypeError& e) {
      if (fixed) return Mismatch{"refused sizes", sizes_text(plan) + ": " + e.what()};
      ++statistics.refused;
      continue;
    } catch (const std::exception& e) {
      return Mismatch{"open run", sizes_text(plan) + ": " + e.what()};
    }
    if (!fixed) return Mismatch{"accepted sizes", sizes_text(plan) + ": " + why};
    const std::vector<Tensor> expected = results(context, *fixed, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (got[i].shape != expected[i].shape || got[i].bytes != expected[i].bytes)
        return Mismatch{"open bits", sizes_text(plan) + ": output " + std::to_string(i)};
    ++statistics.runs;
  }
  for (Name& n : plan.names) n.now = n.before;
  return seed % 3 == 0 ? check_files(c, plan, statistics) : std::nullopt;
}

}  // namespace webnn::inline v0_1::test
