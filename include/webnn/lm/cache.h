// The keys and values of the tokens that a language model has read.
#pragma once

#include <memory>
#include <span>

#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

class Model;
struct CacheState;

/// The KV cache of one sequence; Model::cache() makes it. It has room for all tokens of its
/// capacity, and runs write into it in place. A handle: copies are the same cache, which one thread
/// may use at a time.
class Cache {
 public:
  std::uint32_t size() const;             ///< the number of tokens in the cache
  std::uint32_t capacity() const;         ///< the largest number of tokens
  std::span<const Token> tokens() const;  ///< valid until the cache changes

  /// Keeps the first `size` tokens. Throws TypeError if there are fewer.
  void trim(std::uint32_t size);
  /// Another cache with the same tokens. On Linux, both share the pages of memory that stay the
  /// same.
  Cache fork() const;
  /// Writes the tokens with their keys and values to a file for Model::load_cache(). Throws
  /// OperationError when the system refuses.
  void save(const Path& path) const;

 private:
  friend class Model;
  friend class Batch;
  friend class Generation;
  explicit Cache(std::shared_ptr<CacheState> state) : state_(std::move(state)) {}
  std::shared_ptr<CacheState> state_;
};

}  // namespace webnn::inline v0_1::lm
