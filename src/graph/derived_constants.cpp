#include "src/graph/derived_constants.h"

#include "src/graph/access.h"
#include "src/graph/mapped_memory.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_kept = 64 << 10;  // bytes of one constant
constexpr std::size_t max_kept_in_all = 64 << 20;
constexpr std::uint64_t max_entries = 1 << 14;
constexpr std::uint64_t recent = 8;  // graphs

using detail::Access;

Constant made_of(std::span<const Constant> sources, const MakeConstant& make) {
  Constant made = make(sources);
  for (const Constant& source : sources) give_pages_back(source);
  return made;
}

}  // namespace

std::size_t DerivedConstants::HashKey::operator()(const Key& key) const {
  std::size_t hash = std::hash<std::string>()(key.how);
  for (const auto& s : key.sources)
    hash = (hash ^ std::hash<const void*>()(s.get())) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash;
}

DerivedConstants::DerivedConstants(const GraphData& open) {
  std::uint64_t place = 0;
  for (const OwnedRecord& r : open.operands)
    if (r.constant) own_.emplace(facts_of(*r.constant).get(), place++);
}

bool DerivedConstants::lasts(const Constant& source) const {
  const ConstantFacts* facts = facts_of(source).get();
  return own_.contains(facts) || by_facts_.contains(facts);
}

std::optional<Constant> DerivedConstants::found(const Key& key, bool with_bytes) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return std::nullopt;
  Entry& e = entry->second;
  e.used = graphs_;
  Constant c = e.constant;
  if (!c.released()) return c;
  if (auto bytes = e.bytes.lock()) Access::set_bytes(c, std::move(bytes));
  else if (with_bytes) return std::nullopt;
  return c;
}

Constant DerivedConstants::keep(const Key& key, std::span<const Constant> sources,
                                const MakeConstant& make, Keep kept, Constant made) {
  const std::size_t size = made.bytes().size();
  const bool large = size > max_kept && kept == Keep::small;
  const std::lock_guard lock(mutex_);
  for (const Constant& source : sources)
    if (!lasts(source)) return made;  // that of one graph only
  const auto [place, added] = entries_.try_emplace(key, Entry{made});
  Entry& e = place->second;
  e.used = graphs_;
  if (added) {
    e.make = make;
    for (const Constant& source : sources) {
      Constant& last = e.sources.emplace_back(source);
      const auto by = by_facts_.find(facts_of(last).get());
      if (by != by_facts_.end()) last = by->second->second.constant;
    }
    by_facts_.emplace(facts_of(made).get(), &*place);
    if (large) Access::release(e.constant);
    else bytes_ += size;
  }
  Access::set_facts(made, facts_of(e.constant));  // of two threads the first decides
  if (large) e.bytes = Access::bytes_of(made);
  return made;
}

Constant DerivedConstants::get(const std::string& how, std::span<const Constant> sources,
                               const MakeConstant& make, Keep kept, bool with_bytes) {
  Key key{how, {}};
  for (const Constant& source : sources) key.sources.push_back(facts_of(source));
  if (auto known = found(key, with_bytes)) return *known;
  std::vector<Constant> complete;
  for (const Constant& source : sources) {
    const auto c = source.released() ? this->with_bytes(source) : std::nullopt;
    complete.push_back(c ? *c : source);
    complete.back().bytes();  // throws when they are released
  }
  return keep(key, sources, make, kept, made_of(complete, make));
}

std::optional<Constant> DerivedConstants::with_bytes(const Constant& released) {
  std::optional<Key> key;
  std::vector<Constant> sources;
  MakeConstant make;
  {
    const std::lock_guard lock(mutex_);
    const auto by = by_facts_.find(facts_of(released).get());
    if (by == by_facts_.end()) return std::nullopt;
    const Entry& e = by->second->second;
    Constant c = released;
    if (auto bytes = e.constant.released() ? e.bytes.lock() : Access::bytes_of(e.constant)) {
      Access::set_bytes(c, std::move(bytes));
      return c;
    }
    key = by->second->first;
    sources = e.sources;
    make = e.make;
  }
  for (Constant& source : sources)
    if (source.released()) {
      const auto c = with_bytes(source);
      if (!c) return std::nullopt;
      source = *c;
    }
  const Constant made = make(sources);
  Constant c = released;
  Access::set_bytes(c, Access::bytes_of(made));
  const std::lock_guard lock(mutex_);
  if (const auto entry = entries_.find(*key); entry != entries_.end())
    entry->second.bytes = Access::bytes_of(c);
  return c;
}

bool DerivedConstants::makes_again(const Constant& constant) const {
  const std::lock_guard lock(mutex_);
  return by_facts_.contains(facts_of(constant).get());
}

void DerivedConstants::erase_unused(std::uint64_t since) {
  for (auto e = entries_.begin(); e != entries_.end();) {
    const auto next = std::next(e);
    const Constant& c = e->second.constant;
    if (e->second.used < since) {
      if (!c.released()) bytes_ -= c.bytes().size();
      by_facts_.erase(facts_of(c).get());
      entries_.erase(e);
    }
    e = next;
  }
}

bool DerivedConstants::describe(const ConstantFacts& facts, std::string& to) const {
  constexpr std::size_t most = 1 << 12;
  const auto number = [&](std::uint64_t n) {
    to.append(reinterpret_cast<const char*>(&n), sizeof n);
  };
  if (const auto own = own_.find(&facts); own != own_.end()) {
    to += '#';
    number(own->second);
    return to.size() <= most;
  }
  const auto made = by_facts_.find(&facts);
  if (made == by_facts_.end()) return false;
  const Key& key = made->second->first;
  to += '(';
  number(key.how.size());
  to += key.how;
  number(key.sources.size());
  if (to.size() > most) return false;
  for (const auto& source : key.sources)
    if (!describe(*source, to)) return false;
  return true;
}

std::optional<std::string> DerivedConstants::description_of(const ConstantFacts& facts) const {
  std::string text;
  const std::lock_guard lock(mutex_);
  return describe(facts, text) ? std::optional(std::move(text)) : std::nullopt;
}

void DerivedConstants::start_graph() {
  const std::lock_guard lock(mutex_);
  ++graphs_;
  const auto too_many = [&] { return entries_.size() > max_entries || bytes_ > max_kept_in_all; };
  if (too_many() && graphs_ > recent) erase_unused(graphs_ - recent);
  if (too_many()) erase_unused(graphs_);
}

std::vector<Constant> DerivedConstants::kept() const {
  const std::lock_guard lock(mutex_);
  std::vector<Constant> all;
  for (const auto& [key, entry] : entries_)
    if (!entry.constant.released()) all.push_back(entry.constant);
  return all;
}

Constant derived(const GraphData& graph, const std::string& how, std::span<const Constant> sources,
                 const MakeConstant& make, Keep kept) {
  const auto& table = graph.derivation.constants;
  if (table) return table->get(how, sources, make, kept, graph.derivation.with_bytes);
  return made_of(sources, make);
}

void restore_bytes(const GraphData& graph, const MLOperand& constant) {
  const auto& table = graph.derivation.constants;
  const Constant* c = constant.constant();
  if (!table || !c || !c->released()) return;
  if (const auto complete = table->with_bytes(*c)) const_cast<Constant&>(*c) = *complete;
}

}  // namespace webnn::inline v0_1
