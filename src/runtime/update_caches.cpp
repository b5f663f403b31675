// States of decoders that come from files.
#include <algorithm>
#include <set>

#include "src/builder/builder_state.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/state.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::string_view method = "updateCaches";

struct Pair {
  const NamedOperand *past, *present;
};

const NamedOperand* with_present(const std::string& name, const NamedOperands& outputs) {
  constexpr std::string_view present = "present";
  for (const std::string_view past : {"past_key_values", "past"}) {
    const std::size_t at = name.find(past);
    if (at == std::string::npos) continue;
    std::string wanted = name;
    wanted.replace(at, past.size(), present);
    const auto found = std::ranges::find(outputs, wanted, &NamedOperand::name);
    if (found != outputs.end()) return &*found;
  }
  return nullptr;
}

std::vector<Pair> pairs_of(const NamedOperands& inputs, const NamedOperands& outputs) {
  std::vector<Pair> pairs;
  for (const NamedOperand& in : inputs)
    if (const NamedOperand* out = with_present(in.name, outputs)) pairs.push_back({&in, out});
  if (pairs.empty())
    raise(fail("no input has \"past\" in its name where an output has \"present\": the inputs are "
               "{}, the outputs {}",
               joined(inputs, ", ", [](const auto& x) { return in_quotes(x.name); }),
               joined(outputs, ", ", [](const auto& x) { return in_quotes(x.name); })),
          method);
  return pairs;
}

/// The names of the dimensions of an input that the output does not have.
void add_growing(const Pair& pair, std::set<std::string>& names) {
  const auto in = pair.past->operand.dimensions(), out = pair.present->operand.dimensions();
  if (!in || !out || in->size() != out->size()) return;  // update() says so
  for (std::size_t d = 0; d < in->size(); ++d) {
    if (!(*in)[d].is_open()) continue;
    const std::string& name = (*in)[d].dynamic().name;
    if (!(*out)[d].is_open() || (*out)[d].dynamic().name != name) names.insert(name);
  }
}

/// The bounds of a builder's dimensions, which are what they were unless they are kept.
class Bounds {
 public:
  explicit Bounds(BuilderState& b) : b_(b), before_(b.data.dimensions), updates_(b.updates) {}
  Bounds(const Bounds&) = delete;
  ~Bounds() {
    if (keeps_) return;
    b_.updates = std::move(updates_);
    for (const MLDynamicDimension& d : before_) set(d.name, d.maxSize);
    if (restarted_) b_.trials->restart();
  }

  void limit(const std::string& name, std::uint32_t size) {
    const auto found = std::ranges::find(b_.data.dimensions, name, &MLDynamicDimension::name);
    if (found == b_.data.dimensions.end()) return;
    if (size == 0 || size < found->minSize)
      raise(fail("maxSize ({}) is below the least size ({}) of dimension {}", size,
                 std::max(found->minSize, 1u), in_quotes(name)),
            method);
    set(name, std::min(size, found->maxSize));
  }
  /// The sizes with which the graph was built so far may be beyond a bound.
  void check() {
    if (are_kept()) return;
    restarted_ = true;
    b_.trials->keep_within_bounds();
    if (!are_kept())
      raise(fail("no sizes up to maxSize were found that all operators accept"), method);
  }
  void keep() { keeps_ = true; }

 private:
  bool are_kept() const {
    const DimensionSizes sizes = b_.trials ? b_.trials->sizes() : DimensionSizes();
    for (std::size_t i = 0; i < b_.data.dimensions.size(); ++i)
      if (i >= sizes.size() || sizes[i] > b_.data.dimensions[i].maxSize) return false;
    return true;
  }
  void set(const std::string& name, std::uint32_t size) {
    const auto own = std::ranges::find(b_.data.dimensions, name, &MLDynamicDimension::name);
    if (own == b_.data.dimensions.end() || own->maxSize == size) return;
    own->maxSize = size;
    for (OwnedRecord& r : b_.data.operands) {
      if (!r.open) continue;
      OpenShape shape = *r.open;
      for (MLDimension& d : shape.dimensions)
        if (d.is_open() && d.dynamic().name == name) std::get<1>(d).maxSize = size;
      if (shape != *r.open) r.open = std::make_shared<const OpenShape>(std::move(shape));
    }
  }

  BuilderState& b_;
  std::vector<MLDynamicDimension> before_;
  std::vector<DeclaredUpdate> updates_;
  bool keeps_ = false, restarted_ = false;
};

}  // namespace

std::vector<CacheNames> updateCaches(MLGraphBuilder& builder, const NamedOperands& inputs,
                                     const NamedOperands& outputs, std::uint32_t maxSize) {
  BuilderState& b = *detail::state_of(builder);
  const std::lock_guard lock(b.mutex);
  if (b.built)
    raise({"the builder has already built a graph", ErrorName::InvalidStateError}, method);
  for (const auto* list : {&inputs, &outputs})
    for (const auto& [name, x] : *list)
      if (!x || owner_of(x) != &b.data)
        raise(fail("{} is not an operand of this builder", in_quotes(name)), method);
  const std::vector<Pair> pairs = pairs_of(inputs, outputs);
  std::set<std::string> growing;
  for (const Pair& p : pairs) add_growing(p, growing);
  Bounds bounds(b);
  for (const std::string& name : growing) bounds.limit(name, maxSize);
  bounds.check();
  std::vector<CacheNames> names;
  for (const auto& [past, present] : pairs) {
    update(builder, past->operand, present->operand);
    names.push_back({past->name, present->name});
  }
  bounds.keep();
  return names;
}

}  // namespace webnn::inline v0_1
