// Text for many prompts at once.
#pragma once

#include "webnn/lm/cache.h"
#include "webnn/lm/generation.h"

namespace webnn::inline v0_1::lm {

struct BatchOptions {
  /// The largest number of sequences that are computed at once; others wait. Each of them has a
  /// cache.
  std::uint32_t sequences = 8;
};

/// Sequences that are generated together; Model::batch() makes it. A step computes the next token
/// of all of them, which takes little longer than a step of one sequence, because the weights are
/// read once. When a sequence ends, the next prompt that waits takes its place. Each sequence has
/// its own options, length and end, and no bit of its logits depends on what else is in the batch
/// or on the number of threads. The logits of Model::generate() may have other last bits, because
/// products of one row have other kernels.
///
/// A handle: copies are the same batch. Any thread may call add() and cancel() at any time; only
/// one thread at a time may call the other functions.
class Batch {
 public:
  /// Adds a prompt, which begins as soon as there is room. Returns its number: 0 for the first one,
  /// and so on. Throws what Model::generate() throws.
  std::size_t add(std::string_view prompt, const GenerateOptions& options);
  std::size_t add(std::vector<Token> prompt, const GenerateOptions& options);
  /// The same with a cache, which nothing else may change meanwhile; Cache::fork() gives prompts
  /// with a common beginning caches of their own.
  std::size_t add(Cache cache, std::vector<Token> prompt, const GenerateOptions& options);
  /// Removes the sequence from the batch before the next step, with FinishReason::canceled. Nothing
  /// happens if it has ended, or if there is none with that number.
  void cancel(std::size_t sequence);

  struct Piece {
    std::size_t sequence = 0;
    std::string_view text{};  ///< valid until the next call
  };
  /// The next piece of text of any sequence, in the order in which they are computed; nothing when
  /// all have ended. Pieces are as those of Generation. Throws what the sampler of a sequence or
  /// its cache throws; that sequence has then left the batch, and the others continue. Throws
  /// AbortError when `stop` ends a step, which can be tried again.
  std::optional<Piece> next(std::stop_token stop = {});
  void run();  ///< computes until all sequences have ended

  std::size_t size() const;     ///< the number of prompts that were added
  std::size_t running() const;  ///< the number of sequences that have begun and have not ended
  std::size_t waiting() const;  ///< the number of prompts that have not begun
  // These throw TypeError for a number that no prompt has.

  const std::string& text(std::size_t sequence) const;  ///< all pieces of the sequence so far
  std::span<const Token> tokens(std::size_t sequence) const;
  std::span<const Sample> samples(std::size_t sequence) const;  ///< as Generation::samples()
  const GenerationReport& report(std::size_t sequence) const;
  /// Forgets the text and the tokens of a sequence that has ended, for a batch that runs forever.
  void forget(std::size_t sequence);

 private:
  friend class Model;
  struct State;
  explicit Batch(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// The text of a prompt, with its tokens and a report.
struct GeneratedText {
  std::string text{};
  std::vector<Token> tokens{};
  GenerationReport report{};
};

}  // namespace webnn::inline v0_1::lm
