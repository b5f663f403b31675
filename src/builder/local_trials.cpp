#include "src/builder/local_trials.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/builder/rules.h"
#include "src/builder/validate.h"
#include "src/graph/resolve.h"

namespace webnn::inline v0_1 {
namespace {

/// Where a name is: the operand and its dimension.
struct Place {
  std::size_t operand, axis;
};
using Names = std::map<std::string_view, std::vector<Place>>;
using Changes = std::vector<std::pair<std::string_view, std::uint32_t>>;

Names names_of(const std::vector<const MLOperand*>& operands) {
  Names names;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (const auto& open = operands[i]->record().open)
      for (std::size_t d = 0; d < open->dimensions.size(); ++d)
        if (open->dimensions[d].is_open())
          names[open->dimensions[d].dynamic().name].push_back({i, d});
  return names;
}

class Variations {
 public:
  Variations(const Op& op, const std::vector<std::vector<Dims>>& trials)
      : op_(op),
        trials_(trials),
        operands_(operands_of(op.kind(), op.get())),
        names_(names_of(operands_)),
        rounds_(op.as<ops::conv2d>() || op.as<ops::averagePool2d>() || op.as<ops::l2Pool2d>() ||
                op.as<ops::maxPool2d>() || op.as<ops::resample2d>()) {}

  std::vector<LocalTrial> run() {
    for (const std::vector<Dims>* base : {&trials_.front(), &trials_.back()})
      for (const Changes& changes : all_changes(*base)) add(*base, changes);
    return std::move(found_);
  }

 private:
  static std::uint32_t size_in(const std::vector<Dims>& trial, Place p) {
    return trial[p.operand][p.axis];
  }
  /// Whether two names have the same size in every trial, or one of them the same in all.
  bool are_alike(Place a, Place b) const {
    return std::ranges::all_of(trials_,
                               [&](const auto& t) { return size_in(t, a) == size_in(t, b); });
  }
  bool is_fixed(Place p) const {
    return std::ranges::all_of(
        trials_, [&](const auto& t) { return size_in(t, p) == size_in(trials_.front(), p); });
  }
  std::size_t from_end(Place p) const { return trials_.front()[p.operand].size() - p.axis; }
  bool is_of_input(std::string_view name) const {
    const auto& dimensions = owner_of(*operands_[names_.at(name)[0].operand])->dimensions;
    return std::ranges::find(dimensions, name, &MLDynamicDimension::name) != dimensions.end();
  }
  /// Whether two names have different sizes in a trial, or have the same ones by chance: names of
  /// inputs, and such that have one size. Sizes that are derived may always be the same.
  bool may_differ(std::string_view a, std::string_view b) const {
    const Place p = names_.at(a)[0], q = names_.at(b)[0];
    return !are_alike(p, q) || (is_fixed(p) && is_fixed(q)) || (is_of_input(a) && is_of_input(b));
  }
  /// Whether another name in the same operand has its size in every trial.
  bool is_alone_alike(std::string_view name) const {
    for (const auto& [other, there] : names_)
      for (const Place p : names_.at(name))
        for (const Place q : there)
          if (other != name && p.operand == q.operand && are_alike(p, q)) return true;
    return false;
  }
  /// Whether they meet when the operands are broadcast.
  bool meet(const std::vector<Place>& a, const std::vector<Place>& b) const {
    for (const Place p : a)
      for (const Place q : b)
        if (p.operand != q.operand && from_end(p) == from_end(q)) return true;
    return false;
  }

  /// Small ones, larger ones, and those of other operands, with which one may have to agree.
  std::set<std::uint32_t> sizes_around(const std::vector<Dims>& base, std::uint32_t size) const {
    constexpr std::size_t most = 16;
    std::set<std::uint32_t> sizes{1, 2, 3, size + 1, 2 * size, 3 * size + 2};
    for (const Dims& shape : base)
      for (const std::uint32_t d : shape)
        if (sizes.size() < most) sizes.insert(d);
    return sizes;
  }
  std::vector<Changes> all_changes(const std::vector<Dims>& base) const {
    std::vector<Changes> all;
    for (const auto& [name, places] : names_) {
      const std::uint32_t size = size_in(base, places[0]);
      if (is_fixed(places[0]) || rounds_ || is_alone_alike(name))
        for (const std::uint32_t other : sizes_around(base, size))
          if (other != size) all.push_back({{name, other}});
      for (const auto& [other, there] : names_) {
        if (name == other || !may_differ(name, other) || !meet(places, there)) continue;
        for (const std::uint32_t larger : sizes_around(base, size_in(base, there[0])))
          if (larger > 1) all.push_back({{name, 1}, {other, larger}});
      }
    }
    return all;
  }

  /// The operator at changed sizes, if it takes them.
  void add(const std::vector<Dims>& base, const Changes& changes) {
    LocalTrial trial{.operands = base};
    for (const auto& [name, size] : changes)
      for (const Place p : names_.at(name)) trial.operands[p.operand][p.axis] = size;
    GraphData data;
    Op sized = op_.clone();
    const std::vector<MLOperand*> to = sized.operands();
    for (std::size_t i = 0; i < to.size(); ++i) {
      OperandRecord r = operands_[i]->record();
      r.open = nullptr;
      r.descriptor.shape = trial.operands[i];
      if (r.kind != OperandKind::constant) r.kind = OperandKind::input;
      *to[i] = data.add(std::move(r));
    }
    set_open_steps(sized, op_);
    const auto results = validate(sized.kind(), sized.get(), &data, Rules::specification);
    if (!results) return;
    for (const MLOperandDescriptor& d : *results) trial.results.push_back(d.shape);
    found_.push_back(std::move(trial));
  }

  const Op& op_;
  const std::vector<std::vector<Dims>>& trials_;
  const std::vector<const MLOperand*> operands_;
  const Names names_;
  const bool rounds_;  // sizes of its results may be rounded
  std::vector<LocalTrial> found_{};
};

}  // namespace

std::vector<LocalTrial> local_trials(const Op& op, const std::vector<std::vector<Dims>>& trials) {
  if (is_shape_op(op.kind()) || trials.empty()) return {};
  for (const MLOperand* x : operands_of(op.kind(), op.get()))
    if (x->record().open && !x->record().open->ranked) return {};
  return Variations(op, trials).run();
}

}  // namespace webnn::inline v0_1
