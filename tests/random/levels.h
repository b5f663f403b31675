// Graphs at the accuracy levels: beside an oracle that rounds operands as the kernels do it that
// ran, on several numbers of threads, and through compiled files.
#pragma once

#include "tests/random/compare.h"

namespace webnn::inline v0_1::test {

/// A level, and contexts of it.
class Level {
 public:
  struct Statistics {
    std::uint64_t graphs = 0;                        ///< with a kernel of the level
    std::map<std::string, std::uint64_t> kernels{};  ///< by name: how many ran
    Oracle::Counts elements{};                       ///< of graphs with such a kernel
  };

  Level(std::string name, MLContextOptions options);

  const std::string& name() const { return name_; }
  /// What is wrong with the results of a graph; empty when nothing is.
  std::string check(const Case& c);
  const Statistics& statistics() const { return statistics_; }

 private:
  std::string compare(const MLGraph& graph, const std::vector<Tensor>& results, const Case& c);

  std::string name_;
  bool has_own_backend_;
  MLContext one_;
  std::vector<MLContext> more_threads_{};
  MLContext float32_;  // the same backends at the level float32
  Statistics statistics_{};
};

/// Every level, in every way in which this machine can compute it or emulate it.
std::vector<Level> all_levels();

}  // namespace webnn::inline v0_1::test
