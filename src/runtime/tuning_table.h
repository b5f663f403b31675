// What kernels of the same operators take, on some machines, as a text of lines:
//
//   webnn tuning 1
//   machine 0.1.0, AMD EPYC 7763, caches 32768 524288 33554432, 2 threads
//   chain conv2d(input=%0 float32 [1, 3, 8, 8], filter=%1 constant float32 [8, 3, 3, 3]) -> ...
//   <tab>nanoseconds<tab>backend<tab>version<tab>kernel
//   end
//
// In place of nanoseconds there is "-" when the backend has no kernel for the chain.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/backend.h"
#include "webnn/error.h"
#include "webnn/path.h"

namespace webnn::inline v0_1 {

/// What a kernel took. Texts are escaped().
struct KernelTime {
  std::string backend{}, version{}, kernel{};
  std::optional<std::uint64_t> nanoseconds{};  ///< none: there is no kernel
  bool operator==(const KernelTime&) const = default;
};
using KernelTimes = std::vector<KernelTime>;

class TuningTable {
 public:
  /// A failure says which line is wrong and why.
  static Result<TuningTable> parse(std::string_view text);
  std::string text() const;

  /// Null when there is nothing.
  const KernelTimes* find(const std::string& machine, const std::string& chain) const;
  void put(const std::string& machine, const std::string& chain, KernelTimes times);
  /// What the other table has, in place of what this one has of the same chains.
  void add(const TuningTable& other);
  bool empty() const { return machines_.empty(); }
  bool knows(const std::string& machine) const { return machines_.contains(machine); }

 private:
  using Chains = std::map<std::string, KernelTimes>;
  std::map<std::string, Chains> machines_{};
};

/// Throws DataError that names the file and the line. `may_be_missing`: a file that does not exist
/// is an empty table.
TuningTable read_tuning_file(const Path& path, bool may_be_missing);

/// The operators with attributes, and the types and shapes of operands, in one line: what is equal
/// for chains that take the same time. Labels and values of constants are not part of it.
std::string tuning_key(Chain chain);

}  // namespace webnn::inline v0_1
