// Constants that follow from others, for graphs that are made again and again from the same open
// graph: what is made of the same constants in the same way is the same constant, so that its
// packed weights are found by identity and nothing reads its elements again.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/graph/constant_facts.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1 {

/// Makes a constant of others, which have their bytes, and of nothing else that may change.
using MakeConstant = std::function<Constant(std::span<const Constant> sources)>;

/// Whether the bytes of a constant stay when nothing else holds them.
enum class Keep : std::uint8_t { small, always };

/// The constants that were made of those of one open graph. Large ones are not kept: when nothing
/// else holds their bytes, they are released constants, of which the identity and the facts are
/// known, and are made again when their bytes are wanted. Safe from any number of threads.
class DerivedConstants {
 public:
  explicit DerivedConstants(const GraphData& open);
  DerivedConstants(const DerivedConstants&) = delete;

  /// What `make` makes of the sources. `how` says all that it follows from besides them. With
  /// `with_bytes` it is not a released constant.
  Constant get(const std::string& how, std::span<const Constant> sources, const MakeConstant& make,
               Keep kept, bool with_bytes);
  /// The same constant with its bytes; nothing where it is not known how it was made.
  std::optional<Constant> with_bytes(const Constant& released);

  /// Which constant it is, as bytes: one of the open graph by its place among the constants, or how
  /// it was made of these. Nothing for others, and where that is long.
  std::optional<std::string> description_of(const ConstantFacts& facts) const;
  /// Whether it is known how a constant was made.
  bool makes_again(const Constant& constant) const;

  /// Called before a graph is made: forgets what was not used for many graphs.
  void start_graph();
  std::vector<Constant> kept() const;  ///< the constants whose bytes it holds

 private:
  struct Key {
    std::string how;
    std::vector<std::shared_ptr<ConstantFacts>> sources;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const;
  };
  struct Entry {
    Constant constant;                       // released when it is large
    std::weak_ptr<const std::byte> bytes{};  // of a large one
    std::vector<Constant> sources{};         // derived ones that are large are released
    MakeConstant make{};
    std::uint64_t used = 0;  // in which graph
  };

  std::optional<Constant> found(const Key& key, bool with_bytes);
  Constant keep(const Key& key, std::span<const Constant> sources, const MakeConstant& make,
                Keep kept, Constant made);
  bool lasts(const Constant& source) const;
  bool describe(const ConstantFacts& facts, std::string& to) const;
  void erase_unused(std::uint64_t since);

  mutable std::mutex mutex_{};
  // Of the open graph, which lives longer: their places.
  std::unordered_map<const ConstantFacts*, std::uint64_t> own_{};
  using Entries = std::unordered_map<Key, Entry, HashKey>;
  Entries entries_{};
  std::unordered_map<const ConstantFacts*, Entries::value_type*> by_facts_{};
  std::uint64_t graphs_ = 0;
  std::size_t bytes_ = 0;
};

/// A constant that a pass makes for a graph of constants of it: the one place where all passes do
/// so. A graph that comes from no open graph has what `make` makes.
Constant derived(const GraphData& graph, const std::string& how, std::span<const Constant> sources,
                 const MakeConstant& make, Keep kept = Keep::small);
inline Constant derived(const GraphData& graph, const std::string& how, const Constant& source,
                        const MakeConstant& make, Keep kept = Keep::small) {
  return derived(graph, how, std::span(&source, 1), make, kept);
}

/// Constants of a graph of which those that share bytes count once.
class SeenConstants {
 public:
  /// Whether none with the same bytes was there.
  bool insert(const Constant& constant) {
    if (!seen_.insert(facts_of(constant).get()).second) return false;
    return constant.released() || seen_.insert(constant.bytes().data()).second;
  }

 private:
  std::unordered_set<const void*> seen_{};
};

/// Gives a released constant of a graph its bytes again, if that can be done.
void restore_bytes(const GraphData& graph, const MLOperand& constant);

/// Counts the attempts of this thread to read bytes of constants that are released, also those
/// whose exceptions somebody catches: what was made meanwhile may depend on them.
class ReleasedReads {
 public:
  bool any() const { return count != before_; }
  static void add() { ++count; }

 private:
  static inline thread_local std::uint64_t count = 0;
  std::uint64_t before_ = count;
};

}  // namespace webnn::inline v0_1
