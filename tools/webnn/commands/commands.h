// The one table of subcommands.
#pragma once

#include "tools/webnn/common/options.h"

namespace webnn::inline v0_1::tool {

// Each adds its options to its own part of the command line. One file each.
Action add_info(CLI::App& app);
Action add_run(CLI::App& app);
Action add_bench(CLI::App& app);
Action add_generate(CLI::App& app);
Action add_chat(CLI::App& app);
Action add_convert(CLI::App& app);
Action add_quantize(CLI::App& app);
Action add_compile(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_tune(CLI::App& app);
Action add_diff(CLI::App& app);
Action add_graph(CLI::App& app);
Action add_verify(CLI::App& app);
Action add_operators(CLI::App& app);
Action add_fmt(CLI::App& app);
Action add_completion(CLI::App& app);
Action add_man(CLI::App& app);

struct Command {
  const char* name;
  const char* about;
  Action (*add)(CLI::App& app);
};
inline constexpr Command commands[] = {
    {"info", "Show inputs, outputs, operators and work of a model, and what becomes of it",
     &add_info},
    {"run", "Run a model on files, images or random numbers", &add_run},
    {"bench", "Measure the time of a model and of its operators", &add_bench},
    {"generate", "Continue a text with a language model", &add_generate},
    {"chat", "Talk to a language model", &add_chat},
    {"convert", "Write a model in another format", &add_convert},
    {"quantize", "Write a model of 8-bit integers, with scales from samples of its inputs",
     &add_quantize},
    {"compile", "Write a model with its kernels and packed weights, which loads faster",
     &add_compile},
    {"explain", "Show which kernel runs each operator, and why no other one does", &add_explain},
    {"tune", "Measure which kernels are the fastest here, and write that to a file", &add_tune},
    {"diff", "Compare two models or two backends, and find the first operator that differs",
     &add_diff},
    {"graph", "Draw a model, for Graphviz or as a page for the browser", &add_graph},
    {"verify", "Check the optimizing passes one by one", &add_verify},
    {"operators", "Print the options of CMake for a small build of the library that runs a model",
     &add_operators},
    {"fmt", "Lay out .webnn texts in the usual form", &add_fmt},
    {"completion", "Print the completion script of a shell", &add_completion},
    {"man", "Print the manual page", &add_man},
};

}  // namespace webnn::inline v0_1::tool
