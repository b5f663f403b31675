// The file of measurements: its text, what is refused, and the keys of chains.
#include "src/runtime/tuning_table.h"

#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/temporary_file.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::TemporaryFile;
using test::thrown;

namespace {

const std::string good =
    "webnn tuning 1\n"
    "machine A\n"
    "chain relu()\n"
    "\t1200\tsimd\tAVX2\trelu\n"
    "\t-\tonednn\t\t\n"
    "chain tanh()\n"
    "\t7\town\t\t\n"
    "machine B\n"
    "chain relu()\n"
    "\t3600000000000\tsimd\tAVX-512\trelu 2\n"
    "end\n";

std::string refusal(const std::string& text) {
  auto table = TuningTable::parse(text);
  return table ? "nothing" : table.failure().message;
}

/// The keys of the chains of single operators of a graph.
template <class Build> std::string key(Build build) {
  const MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", build(b)}});
  const Graph& g = graph.graph();
  std::vector<Node> chain;
  for (std::size_t i = 0; i < g.size(); ++i) chain.push_back(g.node(i));
  return tuning_key(chain);
}

}  // namespace

TEST_CASE("a tuning table is the text that it was read from") {
  auto table = TuningTable::parse(good);
  REQUIRE(table);
  CHECK(table->text() == good);
  CHECK(table->knows("A"));
  CHECK_FALSE(table->knows("C"));
  const KernelTimes* const times = table->find("A", "relu()");
  REQUIRE(times);
  CHECK(*times == KernelTimes{{"simd", "AVX2", "relu", 1200}, {"onednn", "", "", std::nullopt}});
  CHECK(table->find("A", "neg()") == nullptr);
  CHECK(table->find("C", "relu()") == nullptr);
  CHECK(TuningTable().text() == "webnn tuning 1\nend\n");
  CHECK(TuningTable::parse("webnn tuning 1\nend"));
}

TEST_CASE("a tuning table added to another replaces what is of the same chains") {
  TuningTable table = *TuningTable::parse(good);
  table.add(
      *TuningTable::parse("webnn tuning 1\nmachine A\nchain tanh()\n\t8\ta\t\tb\n"
                          "machine C\nchain neg()\n\t9\ta\t\tb\nend\n"));
  CHECK(table.find("A", "tanh()")->front().nanoseconds == 8u);
  CHECK(table.find("A", "relu()")->size() == 2);
  CHECK(table.knows("B"));
  CHECK(table.find("C", "neg()")->front().nanoseconds == 9u);
}

TEST_CASE("a damaged tuning table is refused with the line") {
  const std::string head = "webnn tuning 1\nmachine A\n", chain = head + "chain c\n";
  const std::string not_complete = "the last line, \"end\", is missing: the file is not complete";
  CHECK(refusal("").starts_with("line 1: it is not \"webnn tuning 1\""));
  CHECK(refusal("{}").starts_with("line 1: it is not \"webnn tuning 1\""));
  CHECK(refusal("webnn tuning 2\nend\n").starts_with("line 1: "));
  CHECK(refusal("webnn tuning 1\r\nend\r\n").starts_with("line 1: "));
  CHECK(refusal("webnn tuning 1\n") == "line 2: " + not_complete);
  CHECK(refusal(good.substr(0, good.size() - 4)) == "line 11: " + not_complete);
  CHECK(refusal(good + "x") == "line 11: there is text after \"end\"");
  CHECK(refusal(head + "hello\x01\nend\n") ==
        "line 3: \"hello\\u0001\" begins neither a machine nor a chain nor a time");
  CHECK(refusal("webnn tuning 1\nchain c\n") ==
        "line 2: there is no machine before the first chain");
  CHECK(refusal(head + "\t1\ta\t\tb\nend\n") ==
        "line 3: there is no chain before the time of a kernel");
  CHECK(refusal(chain + "end\n") == "line 4: the chain before it has no times");
  CHECK(refusal(chain + "chain d\n") == "line 4: the chain before it has no times");
  CHECK(refusal(chain + "\t1\ta\tb\nend\n") ==
        "line 4: a time, a backend, its version and a kernel are 4 fields, not 3");
  CHECK(refusal(chain + "\t1\ta\t\tb\t\nend\n").ends_with("4 fields, not 5"));
  for (const char* ns : {"0", "-5", "1.5", "", "x", "3600000000001", "99999999999999999999"})
    CHECK(refusal(chain + "\t" + ns + "\ta\t\tb\nend\n") ==
          "line 4: \"" + std::string(ns) +
              "\" is not a number of nanoseconds from 1 to 3600000000000");
  CHECK(refusal(chain + "\t1\ta\tv\tb\n\t2\ta\tv\tc\nend\n") ==
        "line 5: the chain has two times of \"a\"");
  CHECK(refusal(chain + "\t1\ta\tv\tb\nchain c\n") == "line 5: the machine has this chain twice");
  CHECK(refusal(head + std::string(20000, 'c')) ==
        "line 3: its length (20000) is greater than 16384");
  std::string many = chain;
  for (int i = 0; i < 65; ++i) many += "\t1\tb" + std::to_string(i) + "\t\tk\n";
  CHECK(refusal(many + "end\n") == "line 68: the chain has more than 64 times");
}

TEST_CASE("a tuning table with any change is read or refused") {
  test::Random random(5);
  const auto below = [&](std::size_t n) {
    return std::size_t{random.integer(0, static_cast<std::uint32_t>(n) - 1)};
  };
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int k = 0; k < 3 && !text.empty(); ++k) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, below(20)); break;
        case 2: text.insert(at, text.substr(below(text.size()), below(30))); break;
        default: text.insert(at, 1, "\n\t -"[below(4)]);
      }
    }
    auto table = TuningTable::parse(text);
    if (!table) {
      CHECK(table.failure().message.starts_with("line "));
      continue;
    }
    auto again = TuningTable::parse(table->text());
    REQUIRE(again);
    CHECK(again->text() == table->text());
  }
}

TEST_CASE("what is wrong with a tuning file is said with its name") {
  const auto open = [](const std::string& path, Tuning tuning = Tuning::off) {
    return thrown([&] { MLContext({.threads = 1, .tuning = tuning, .tuningFile = path}); });
  };
  TemporaryFile file;
  CHECK(open(file.path) == "DataError tuning [" + file.path + "]: there is no such file.");
  CHECK(open(file.path, Tuning::once) == "nothing");
  file.write(good);
  CHECK(open(file.path) == "nothing");
  file.write("webnn tuning 1\nmachine A\nchain c\n\tx\ty\n");
  CHECK(open(file.path) == "DataError tuning [" + file.path +
                               "]: line 4: a time, a backend, its version and a kernel are 4 "
                               "fields, not 2.");
  CHECK(open(file.path, Tuning::once).starts_with("DataError"));
  std::filesystem::resize_file(file.path, (16 << 20) + 1);
  CHECK(open(file.path) == "DataError tuning [" + file.path +
                               "]: its size (16777217) is greater than 16777216 bytes.");
  const TemporaryFile folder;
  std::filesystem::create_directory(folder.path);
  CHECK(open(folder.path) == "DataError tuning [" + folder.path + "]: it is not a regular file.");
}

TEST_CASE("the key of a chain has what its time depends on") {
  const auto unary = [](Dims shape, const char* label) {
    return key([&](MLGraphBuilder& b) {
      return b.clamp(b.input("x", {float32, shape}),
                     {.minValue = 0, .maxValue = 6, .label = label});
    });
  };
  CHECK(unary({2, 3}, "a") ==
        "clamp(input=%0 float32 [2, 3]) {minValue=0, maxValue=6} -> %1 float32 [2, 3]");
  CHECK(unary({2, 3}, "a") == unary({2, 3}, "b"));
  CHECK(unary({2, 3}, "a") != unary({3, 2}, "a"));
  const auto sum = [](bool same, bool constant, float value = 1) {
    return key([&](MLGraphBuilder& b) {
      const MLOperand x = b.input("x", {float32, {2}});
      const MLOperand y = same       ? x
                          : constant ? b.constant({float32, {2}}, {value, value})
                                     : b.input("y", {float32, {2}});
      return b.relu(b.add(x, y));
    });
  };
  CHECK(sum(false, true) ==
        "add(a=%0 float32 [2], b=%1 constant float32 [2]) -> %2 float32 [2] "
        "relu(input=%2) -> %3 float32 [2]");
  CHECK(sum(true, false) ==
        "add(a=%0 float32 [2], b=%0) -> %1 float32 [2] relu(input=%1) -> %2 float32 [2]");
  CHECK(sum(false, true, 1) == sum(false, true, 2));
  CHECK(sum(false, false) != sum(false, true));
  const auto joined = [](std::uint32_t last) {
    return key([&](MLGraphBuilder& b) {
      std::vector<MLOperand> parts;
      for (int i = 0; i < 400; ++i)
        parts.push_back(b.input("x" + std::to_string(i), {float32, {i < 399 ? 2 : last, 2}}));
      return b.concat(parts, 0);
    });
  };
  CHECK(joined(2).size() < 4200);
  CHECK(joined(2) == joined(2));
  CHECK(joined(2) != joined(3));
}
