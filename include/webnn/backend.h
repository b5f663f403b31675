// The contract of a backend: what a kernel library sees of a graph, and what it returns.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// Operators that follow one another: each is the only reader of the only result of the one before,
/// and that result is not an output of the graph. Never empty. There may be reshapes between the
/// first and the last; the operator after a reshape reads the same elements in the same order. The
/// nodes and all that they refer to live longer than the kernel made from them.
using Chain = std::span<const Node>;

/// The operands that a chain reads from outside: for each node in turn, its operands in the order
/// of their rows, without those that the chain makes. Constants are included.
std::vector<MLOperand> inputs_of(Chain);

/// Where a kernel finds its operands. They are aligned to their elements; those in the runtime's
/// memory to 64 bytes, except parts of a tensor (slice, split, concat).
struct Buffers {
  std::span<const std::byte* const> inputs;  ///< in the order of inputs_of(chain)
  std::span<std::byte* const> outputs;       ///< the results of the last node
  std::byte* shared = nullptr;  ///< Candidate::shared bytes, aligned to 64, the same in all rounds
  std::size_t pitch = 0;  ///< elements from one Candidate::row to the next; 0: they are contiguous
  std::span<const std::byte* const> weights{};  ///< the blocks of Candidate::weights

  template <class T> const T* in(std::size_t i = 0) const {
    return reinterpret_cast<const T*>(inputs[i]);
  }
  template <class T> T* out(std::size_t i = 0) const { return reinterpret_cast<T*>(outputs[i]); }
  template <class T> const T* packed(std::size_t i = 0) const {
    return reinterpret_cast<const T*>(weights[i]);
  }
  std::size_t pitch_of(std::size_t row) const { return pitch ? pitch : row; }
};

struct Range {
  int begin, end;  ///< the first tile, and the one behind the last
  int round = 0;   ///< below Candidate::rounds
};

/// Constants in the order in which a kernel reads them. The runtime packs a block when the kernel
/// is chosen and no equal block exists: from another kernel, another graph or a compiled file.
struct WeightBlock {
  std::size_t bytes = 0;
  /// The name and the revision of the layout, and everything else that decides the bytes, except
  /// the values of `inputs`, such as sizes and the width of vectors: blocks with the same layout,
  /// bytes and constants are equal. Empty: the kernel keeps what `fill` makes in memory of its own,
  /// which is neither shared nor written to compiled files.
  std::string layout{};
  /// The constants that decide the bytes, as inputs_of(chain) lists them. Their memory may be freed
  /// when they are packed: lower() does not read their values, `run` finds null in their place.
  std::vector<int> inputs{};
  std::vector<int> kept{};  ///< of these: the constants that lower() or `run` read too
  int parts = 1;            ///< they may be filled in any order, at the same time
  /// Writes a part of the block, whose bytes are zero and aligned to 64. With an empty layout it
  /// gets null, and may be left out when nothing is to be made.
  std::function<void(std::byte* to, int part)> fill{};
};

/// A kernel before its weights are packed. Its work is divided into tiles for the runtime's
/// threads. An element of a result has the same bits in whatever range its tile is run, and the
/// number of tiles follows from the shapes alone. `run` is called once for each range, concurrently
/// for disjoint ranges; all ranges together write every element of every result. It must not throw,
/// start a parallel region of its own, or allocate. Several runs of a graph may be under way at the
/// same time, each with results, scratch and shared memory of its own, unless the kernel is
/// `exclusive`.
struct Candidate {
  std::string name{};           ///< for explain()
  int tiles = 1;                ///< into which the work is divided
  int grain = 1;                ///< ranges of fewer tiles waste work (halo rows, packing)
  int rounds = 1;               ///< how many times all tiles are run, one round after the other
  std::size_t scratch = 0;      ///< bytes of scratch for each worker, aligned to 64
  std::size_t shared = 0;       ///< bytes that all tiles of a run see, from round to round
  bool exclusive = false;       ///< keeps state while it runs: serves one run at a time
  std::vector<int> in_place{};  ///< inputs whose buffer the first result may take over
  /// Elements of the rows of the first result that may lie apart (Buffers::pitch), so that they are
  /// written into the result of a concat; 0: the result is contiguous.
  std::size_t row = 0;
  bool skips_parts = false;  ///< concat: copies no operand that lies in its place in the result
  std::vector<WeightBlock> weights{};  ///< that `run` reads; all other constants are inputs
  /// Why another backend would probably be faster; empty for a preferred kernel. A kernel with a
  /// reason is used when no other backend runs the chain.
  std::string fallback_reason{};
  std::function<void(Range, const Buffers&, std::byte* scratch)> run{};
};

struct Refusal {
  std::string reason;
};
using Lowering = std::variant<Candidate, Refusal>;

/// A kernel library. Called by one thread at a time for each context.
struct Backend {
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// A kernel for the whole chain, or the reason why there is none. An exception derived from
  /// std::exception counts as a refusal. It is called for more chains than are run: code that reads
  /// the values of large constants belongs in WeightBlock::fill.
  virtual Lowering lower(Chain chain) const = 0;
  /// The data types that the first operand of an operator (by its index in ops::AllOps) may have,
  /// if the operator is to be run by itself. MLContext::opSupportLimits() advertises them; lower()
  /// decides.
  virtual DataTypes supported_types(std::size_t kind) const {
    (void)kind;
    return types::stored;
  }
};

}  // namespace webnn::inline v0_1
