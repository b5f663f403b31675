#include "src/runtime/tuning_table.h"

#include <charconv>
#include <filesystem>
#include <fstream>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/checksum.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::string_view first_line = "webnn tuning 1", last_line = "end";
constexpr std::string_view machine_word = "machine ", chain_word = "chain ";
constexpr std::uint64_t max_file = std::uint64_t{16} << 20;
constexpr std::size_t max_line = 16 << 10, max_key = 4 << 10;
constexpr std::size_t max_times = 64;                         // times of a chain
constexpr std::uint64_t max_nanoseconds = 3'600'000'000'000;  // an hour

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<TuningTable> run() {
    if (!next() || line_ != first_line)
      return fail("line 1: it is not \"{}\": the file is not a table of measurements", first_line);
    while (next()) {
      if (line_ == last_line) {
        if (!text_.empty()) return at_line(fail("there is text after \"end\""));
        if (auto bad = finish_chain()) return at_line(std::move(*bad));
        return std::move(table_);
      }
      if (auto bad = read_line()) return at_line(std::move(*bad));
    }
    ++number_;
    return at_line(fail("the last line, \"end\", is missing: the file is not complete"));
  }

 private:
  using Bad = std::optional<Failure>;

  bool next() {
    if (text_.empty()) return false;
    const std::size_t end = text_.find('\n');
    line_ = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++number_;
    return true;
  }
  Failure at_line(Failure f) const {
    f.message = "line " + std::to_string(number_) + ": " + f.message;
    return f;
  }

  Bad read_line() {
    if (line_.size() > max_line)
      return fail("its length ({}) is greater than {}", line_.size(), max_line);
    if (line_.starts_with('\t')) return read_time();
    if (auto bad = finish_chain()) return bad;
    if (line_.starts_with(machine_word)) {
      machine_ = line_.substr(machine_word.size());
      return std::nullopt;
    }
    if (!line_.starts_with(chain_word))
      return fail("{} begins neither a machine nor a chain nor a time", in_quotes(line_, 40));
    if (machine_.empty()) return fail("there is no machine before the first chain");
    chain_ = line_.substr(chain_word.size());
    if (table_.find(machine_, chain_)) return fail("the machine has this chain twice");
    return std::nullopt;
  }

  Bad read_time() {
    if (chain_.empty()) return fail("there is no chain before the time of a kernel");
    const auto fields = parts_of(line_.substr(1));
    if (fields.size() != 4)
      return fail("a time, a backend, its version and a kernel are 4 fields, not {}",
                  fields.size());
    KernelTime t{std::string(fields[1]), std::string(fields[2]), std::string(fields[3])};
    if (fields[0] != "-") {
      std::uint64_t ns = 0;
      const char* const end = fields[0].data() + fields[0].size();
      const auto [after, error] = std::from_chars(fields[0].data(), end, ns);
      if (error != std::errc() || after != end || ns == 0 || ns > max_nanoseconds)
        return fail("{} is not a number of nanoseconds from 1 to {}", in_quotes(fields[0], 40),
                    max_nanoseconds);
      t.nanoseconds = ns;
    }
    for (const KernelTime& other : times_)
      if (other.backend == t.backend && other.version == t.version)
        return fail("the chain has two times of {}", in_quotes(t.backend));
    if (times_.size() == max_times) return fail("the chain has more than {} times", max_times);
    times_.push_back(std::move(t));
    return std::nullopt;
  }
  static std::vector<std::string_view> parts_of(std::string_view line) {
    std::vector<std::string_view> all;
    for (std::size_t tab = 0; tab != std::string_view::npos;) {
      tab = line.find('\t');
      all.push_back(line.substr(0, tab));
      line.remove_prefix(tab == std::string_view::npos ? 0 : tab + 1);
    }
    return all;
  }

  Bad finish_chain() {
    if (chain_.empty()) return std::nullopt;
    if (times_.empty()) return fail("the chain before it has no times");
    table_.put(machine_, chain_, std::move(times_));
    times_.clear();
    chain_.clear();
    return std::nullopt;
  }

  std::string_view text_, line_{};
  std::size_t number_ = 0;
  std::string machine_{}, chain_{};
  KernelTimes times_{};
  TuningTable table_{};
};

std::string type_text(const MLOperand& x) {
  return std::string(name_of(x.dataType())) + ' ' + Arg(std::span(x.shape())).text;
}

/// The texts of operands: those of earlier operators by their number, others by when they first
/// occur.
class OperandTexts {
 public:
  std::string of(const MLOperand& x) {
    const auto [found, added] =
        numbers_.try_emplace(&x.record(), '%' + std::to_string(numbers_.size()));
    if (!added) return found->second;
    return found->second + (x.constant() ? " constant " : " ") + type_text(x);
  }

 private:
  std::map<const OperandRecord*, std::string> numbers_{};
};

}  // namespace

Result<TuningTable> TuningTable::parse(std::string_view text) {
  auto table = Parser(text).run();
  if (table) return table;
  return Failure{table.failure().message, ErrorName::DataError};
}

std::string TuningTable::text() const {
  std::string s = std::string(first_line) + '\n';
  for (const auto& [machine, chains] : machines_) {
    s += std::string(machine_word) + machine + '\n';
    for (const auto& [chain, times] : chains) {
      s += std::string(chain_word) + chain + '\n';
      for (const KernelTime& t : times)
        s += '\t' + (t.nanoseconds ? std::to_string(*t.nanoseconds) : "-") + '\t' + t.backend +
             '\t' + t.version + '\t' + t.kernel + '\n';
    }
  }
  return s + std::string(last_line) + '\n';
}

const KernelTimes* TuningTable::find(const std::string& machine, const std::string& chain) const {
  const auto chains = machines_.find(machine);
  if (chains == machines_.end()) return nullptr;
  const auto times = chains->second.find(chain);
  return times == chains->second.end() ? nullptr : &times->second;
}

void TuningTable::put(const std::string& machine, const std::string& chain, KernelTimes times) {
  machines_[machine][chain] = std::move(times);
}

void TuningTable::add(const TuningTable& other) {
  for (const auto& [machine, chains] : other.machines_)
    for (const auto& [chain, times] : chains) put(machine, chain, times);
}

TuningTable read_tuning_file(const Path& path, bool may_be_missing) {
  namespace fs = std::filesystem;
  const auto refuse = [&](std::string why) {
    raise({std::move(why), ErrorName::DataError}, "tuning", path);
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    if (may_be_missing) return {};
    refuse("there is no such file");
  }
  if (!fs::is_regular_file(status)) refuse("it is not a regular file");
  const std::uint64_t size = fs::file_size(path, error);
  if (!error && size > max_file)
    refuse(format("its size ({}) is greater than {} bytes", {Arg(size), Arg(max_file)}));
  std::ifstream file(path, std::ios::binary);
  std::string text(error ? 0 : size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (error || !file) refuse("it cannot be read");
  auto table = TuningTable::parse(text);
  if (!table) raise(table.failure(), "tuning", path);
  return std::move(*table);
}

std::string tuning_key(Chain chain) {
  OperandTexts operands;
  std::string s;
  for (const Node& node : chain) {
    s += (s.empty() ? "" : " ") + std::string(node.name()) + '(';
    std::vector<std::string> inputs, attributes, outputs;
    for (const auto& [name, x] : node.named_inputs()) inputs.push_back(name + '=' + operands.of(x));
    for (const auto& [name, value] : node.attributes()) attributes.push_back(name + '=' + value);
    for (const MLOperand& y : node.outputs()) outputs.push_back(operands.of(y));
    s += joined(inputs) + ')';
    if (!attributes.empty()) s += " {" + joined(attributes) + '}';
    s += " -> " + joined(outputs);
  }
  if (s.size() <= max_key) return s;  // longer ones have a long list of operands
  const std::uint64_t sum = checksum_of(std::as_bytes(std::span(s)));
  return s.substr(0, max_key) + " ... " + std::to_string(sum);
}

}  // namespace webnn::inline v0_1
