#include "src/runtime/plan.h"

#include "src/graph/op.h"
#include "src/runtime/aliases.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace webnn::inline v0_1 {
namespace {

constexpr int never = -1;

/// Memory that one or more operands share: views of it, and results that took it over.
struct Buffer {
  Location location;  // nowhere: in the arena, once packed
  std::size_t bytes = 0;
  int merged_into = never;  // another buffer that has taken its place ...
  std::size_t offset = 0;   // ... from there on
  int first = std::numeric_limits<int>::max(), last = never;  // steps
};

class Planner {
 public:
  Planner(const Graph& graph, std::vector<Choice> choices)
      : graph_(graph),
        choices_(std::move(choices)),
        of_(graph.operand_count()),
        computed_in_outputs_(computed_in_outputs(graph)) {
    inputs_.reserve(choices_.size());
    buffers_.reserve(graph.operand_count());
    for (Choice& c : choices_) inputs_.push_back(c.inputs());
  }

  Plan run() {
    place_outside();
    for (std::size_t i = 0; i < graph_.size(); ++i) resolve_views(i);
    place_parts();
    count_reads();
    for (int s = 0; s < static_cast<int>(choices_.size()); ++s) place_results(s);
    pack_arena();
    return finished();
  }

 private:
  struct At {
    int buffer = never;
    std::size_t offset = 0;
  };

  int add(Buffer b) {
    buffers_.push_back(b);
    return static_cast<int>(buffers_.size()) - 1;
  }
  At& at(const MLOperand& x) {
    At& a = of_[x.record().id];
    if (a.buffer == never) return a;
    const At now = representative(a.buffer);
    return a = {now.buffer, a.offset + now.offset};
  }
  /// The buffer that stands for it now, and where in that it lies. Shortens the way for the next
  /// time.
  At representative(int b) {
    At last{b, 0};
    while (of(last.buffer).merged_into != never)
      last = {of(last.buffer).merged_into, last.offset + of(last.buffer).offset};
    std::size_t left = last.offset;
    while (b != last.buffer) {
      Buffer& old = of(b);
      left -= std::exchange(old.offset, left);
      b = std::exchange(old.merged_into, last.buffer);
    }
    return last;
  }
  Buffer& of(int b) { return buffers_[static_cast<std::size_t>(b)]; }
  Buffer& buffer(const MLOperand& x) { return of(at(x).buffer); }
  bool is_whole(const MLOperand& x) {
    return at(x).offset == 0 && buffer(x).bytes == byte_length(x.descriptor());
  }

  void merge(int old, int into, std::size_t offset = 0) {
    Buffer& b = of(old);
    b.merged_into = into;
    b.offset = offset;
    b.bytes = 0;
  }

  void place_outside() {
    std::size_t inputs = 0;
    for (const auto& [name, x] : graph_.inputs())
      at(x) = {add({{Location::Kind::input, inputs++, 0}, byte_length(x.descriptor())})};
    for (std::size_t i = 0; i < graph_.operand_count(); ++i) {
      const MLOperand x = graph_.operand(i);
      if (x.record().kind == OperandKind::constant)
        at(x) = {add({{Location::Kind::constant, i, 0}, byte_length(x.descriptor())})};
    }
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const MLOperand& x = graph_.outputs()[i].operand;
      const std::size_t bytes = byte_length(x.descriptor());
      if (at(x).buffer == never) at(x) = {add({{Location::Kind::output, i, 0}, bytes})};
      else copies_.push_back({x, i});
    }
  }

  /// A result that no step writes lies in its operand, or its operand in it if it is an output;
  /// results of steps get a buffer of their own for now.
  void resolve_views(std::size_t i) {
    const Node node = graph_.node(i);
    const auto views = aliases_of(node);
    if (computed_in_outputs_[i])
      return merge(of_[views[0]->operand].buffer, at(node.output()).buffer);
    const bool shared =
        !views.empty() && std::none_of(node.outputs().begin(), node.outputs().end(),
                                       [&](const MLOperand& y) { return at(y).buffer != never; });
    for (std::size_t k = 0; k < node.outputs().size(); ++k) {
      At& y = at(node.output(k));
      if (y.buffer != never) continue;
      if (shared) {
        y = of_[views[k]->operand];
        y.offset += views[k]->offset;
      } else {
        y = {add({{}, static_cast<std::size_t>(byte_length(node.output(k).descriptor()))})};
      }
    }
  }

  /// Operands of concats lie in the result where possible: what computes them writes them there.
  void place_parts() {
    pitches_.resize(choices_.size());
    in_place_.resize(choices_.size());
    if (std::none_of(choices_.begin(), choices_.end(),
                     [](const Choice& c) { return c.kernel->skips_parts; }))
      return;
    std::vector<Access> access(buffers_.size());
    for (std::size_t s = 0; s < choices_.size(); ++s) {
      for (const MLOperand& x : inputs_[s]) ++access[index(x)].reads;
      access[index(choices_[s].chain.back().output())].writer = static_cast<int>(s);
    }
    for (const auto& [x, output] : copies_) ++access[index(x)].reads;
    for (std::size_t s = 0; s < choices_.size(); ++s)
      if (choices_[s].kernel->skips_parts) place_parts(s, access);
  }
  struct Access {
    int reads = 0, writer = never;
  };
  std::size_t index(const MLOperand& x) { return static_cast<std::size_t>(at(x).buffer); }

  void place_parts(std::size_t s, const std::vector<Access>& access) {
    const Node& node = choices_[s].chain.front();
    const auto* op = as<ops::concat>(node);
    const MLOperand& y = node.output();
    const auto bits = static_cast<std::size_t>(bits_of(y.dataType()));
    if (!op || choices_[s].chain.size() > 1 || bits % 8 != 0) return;
    std::size_t rows = 1;
    for (std::uint32_t d = 0; d < op->axis; ++d) rows *= y.shape()[d];
    const std::size_t whole = byte_length(y.descriptor()) / rows;
    const At to = at(y);
    std::size_t offset = to.offset, placed = 0;
    for (const MLOperand& x : op->inputs) {
      const std::size_t row = byte_length(x.descriptor()) / rows;
      const Access& a = access[index(x)];
      const bool free = buffer(x).location.kind == Location::Kind::nowhere && is_whole(x) &&
                        buffer(x).bytes > 0 && at(x).buffer != to.buffer;
      const bool apart = rows > 1 && row != whole;
      if (free && (!apart || can_lie_apart(a, row * 8 / bits))) {
        if (apart) pitches_[static_cast<std::size_t>(a.writer)] = whole * 8 / bits;
        merge(at(x).buffer, to.buffer, offset);
        ++placed;
      }
      offset += row;
    }
    in_place_[s] = placed == op->inputs.size();
  }
  /// Whether only one kernel reads a buffer, and the rows that its writer can write apart have so
  /// many elements.
  bool can_lie_apart(const Access& a, std::size_t row) const {
    return a.reads == 1 && a.writer != never &&
           choices_[static_cast<std::size_t>(a.writer)].kernel->row == row;
  }

  void count_reads() {
    for (int s = 0; s < static_cast<int>(choices_.size()); ++s)
      for (const MLOperand& x : inputs_[static_cast<std::size_t>(s)]) {
        Buffer& b = buffer(x);
        b.last = std::max(b.last, s);
      }
    const int end = static_cast<int>(choices_.size());
    for (const auto& [x, output] : copies_) buffer(x).last = end;
  }

  void place_results(int s) {
    const Choice& c = choices_[static_cast<std::size_t>(s)];
    for (const MLOperand& y : c.chain.back().outputs()) {
      Buffer& b = buffer(y);
      b.first = std::min(b.first, s);
      b.last = std::max(b.last, s);
    }
    take_over(s, c);
  }

  /// The first result may have the memory of an input that no later step reads.
  void take_over(int s, const Choice& c) {
    const MLOperand& y = c.chain.back().output();
    if (buffer(y).location.kind != Location::Kind::nowhere || !is_whole(y)) return;
    const std::span<const MLOperand> inputs = inputs_[static_cast<std::size_t>(s)];
    for (int i : c.kernel->in_place) {
      const MLOperand& x = inputs[static_cast<std::size_t>(i)];
      Buffer& from = buffer(x);
      const bool free = from.location.kind == Location::Kind::nowhere && from.last == s;
      if (!free || !is_whole(x) || from.bytes != buffer(y).bytes) continue;
      if (std::count_if(inputs.begin(), inputs.end(),
                        [&](const MLOperand& o) { return at(o).buffer == at(x).buffer; }) != 1)
        continue;
      const int old = at(y).buffer, taken = at(x).buffer;
      from.last = std::max(from.last, buffers_[static_cast<std::size_t>(old)].last);
      return merge(old, taken);
    }
  }

  void pack_arena() {
    std::vector<Lifetime> lifetimes;
    std::vector<Buffer*> packed;
    for (Buffer& b : buffers_) {
      if (b.location.kind != Location::Kind::nowhere || b.bytes == 0 || b.last == never) continue;
      lifetimes.push_back({b.first, b.last, b.bytes});
      packed.push_back(&b);
    }
    packing_ = pack(lifetimes, arena_alignment);
    for (std::size_t i = 0; i < packed.size(); ++i)
      packed[i]->location = {Location::Kind::arena, 0, packing_.offsets[i]};
  }

  Location location_of(const MLOperand& x) {
    Location p = buffer(x).location;
    p.offset += at(x).offset;
    return p;
  }

  Plan finished() {
    Plan plan;
    plan.steps.reserve(choices_.size());
    for (std::size_t s = 0; s < choices_.size(); ++s) {
      Choice& c = choices_[s];
      if (in_place_[s]) {
        plan.in_place.push_back(std::move(c));
        continue;
      }
      Step step{.choice = {}, .inputs = {}, .outputs = {}, .pitch = pitches_[s]};
      step.inputs.reserve(inputs_[s].size());
      for (const MLOperand& x : inputs_[s]) step.inputs.push_back(location_of(x));
      for (const MLOperand& y : c.chain.back().outputs()) step.outputs.push_back(location_of(y));
      plan.scratch = std::max(plan.scratch, c.kernel->scratch);
      plan.shared = std::max(plan.shared, c.kernel->shared);
      step.choice = std::move(c);
      plan.steps.push_back(std::move(step));
    }
    for (const auto& [x, output] : copies_)
      plan.copies.push_back({location_of(x), output, byte_length(x.descriptor())});
    plan.packing = std::move(packing_);
    return plan;
  }

  const Graph& graph_;
  std::vector<Choice> choices_;
  std::vector<std::span<const MLOperand>> inputs_{};  // of each choice
  std::vector<At> of_;                                // by operand
  std::vector<bool> computed_in_outputs_;
  std::vector<std::size_t> pitches_;  // by step
  std::vector<bool> in_place_;        // by step: nothing has to run
  std::vector<Buffer> buffers_;
  std::vector<std::pair<MLOperand, std::size_t>> copies_;
  Packing packing_;
};

}  // namespace

Plan make_plan(const Graph& graph, std::vector<Choice> choices) {
  return Planner(graph, std::move(choices)).run();
}

}  // namespace webnn::inline v0_1
