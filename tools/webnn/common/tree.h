// The command line as a tree of subcommands and options, from which parsing, --help, the completion
// scripts and the manual page are derived.
#pragma once

#include "tools/webnn/common/options.h"

namespace webnn::inline v0_1::tool {

/// Adds everything; returns what each subcommand does.
std::vector<std::pair<CLI::App*, Action>> make_tree(CLI::App& app);

/// An option as it is shown: "--resize HOW".
struct OptionView {
  std::string name{}, short_name{};  ///< "--resize"; "-o" or empty. Empty both: an argument
  std::string value{};               ///< "HOW", empty for a flag
  std::string about{}, group{}, default_value{};
  std::vector<std::string> choices{};  ///< all values that it can have; empty: any
  std::vector<std::string> values{};   ///< some that it can have, for completion
  bool is_list = false;                ///< it has several of them, with commas between them
  bool takes_file = false, required = false, repeated = false;
};
std::vector<OptionView> options_of(const CLI::App& app);
std::string examples_of(const CLI::App& app);  ///< the footer

}  // namespace webnn::inline v0_1::tool
