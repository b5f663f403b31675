// Recurrent networks over an open number of steps, and over sequences of different lengths.
#include "tests/formats/onnx/open.h"
#include "tests/support/coordinates.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;
using webnn::test::for_each_place;

namespace {

constexpr std::uint32_t inputs = 3, hidden = 2;

struct Network {
  std::string op = "LSTM", direction = "forward";
  bool batch_first = false, with_states = false;
  std::string lengths = "";  // a name of sequence_lens

  bool has_cells() const { return op == "LSTM"; }
  std::uint32_t gates() const { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }
  std::uint32_t directions() const { return direction == "bidirectional" ? 2 : 1; }
  /// In the order of the file.
  Dims sequence(std::uint32_t steps, std::uint32_t batch) const {
    return batch_first ? Dims{batch, steps, inputs} : Dims{steps, batch, inputs};
  }
  Dims state(std::uint32_t batch) const {
    return batch_first ? Dims{batch, directions(), hidden} : Dims{directions(), batch, hidden};
  }
};

std::vector<Network> networks(const std::vector<std::string>& ops) {
  std::vector<Network> all;
  for (const std::string& op : ops)
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const bool batch_first : {false, true})
        for (const bool with_states : {false, true})
          all.push_back({op, direction, batch_first, with_states});
  return all;
}

Message weights(std::string_view name, const Ints& dims) {
  std::size_t n = 1;
  for (const std::int64_t d : dims) n *= static_cast<std::size_t>(d);
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(static_cast<float>((i * 37 + name.size() * 11) % 29) / 29 - 0.45f);
  return floats(name, dims, values);
}

/// The dimensions of x and states: names or numbers.
void add_network(Writer& w, const Network& n, const std::string& steps, const std::string& batch) {
  const std::string d = std::to_string(n.directions()), h = std::to_string(hidden);
  const std::string i = std::to_string(inputs);
  const auto state = [&] { return n.batch_first ? Names{batch, d, h} : Names{d, batch, h}; };
  w.input("x", n.batch_first ? Names{batch, steps, i} : Names{steps, batch, i});
  if (n.with_states) w.input("h0", state());
  if (n.with_states && n.has_cells()) w.input("c0", state());
  const std::int64_t D = n.directions(), G = n.gates() * hidden;
  w.initializer(weights("w", {D, G, inputs})).initializer(weights("r", {D, G, hidden}));
  w.initializer(weights("bias", {D, 2 * G}));
  Names in{"x", "w", "r", "bias", n.lengths}, out{"y", "y_h"};
  if (n.with_states) in.push_back("h0");
  if (n.with_states && n.has_cells()) in.push_back("c0");
  if (n.has_cells()) out.push_back("y_c");
  for (const std::string& name : out) w.output(name);
  w.node(n.op, in, out,
         {attribute("hidden_size", std::int64_t{hidden}), attribute("direction", n.direction),
          attribute("layout", n.batch_first ? 1 : 0)},
         {}, "cell");
}

std::map<std::string, Tensor> values(const Network& n, std::uint32_t steps, std::uint32_t batch) {
  const auto small = [](Tensor t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.set(i, t[i] / 11 - 1);
    return t;
  };
  std::map<std::string, Tensor> all{{"x", small(counted(n.sequence(steps, batch)))}};
  if (n.with_states) all["h0"] = small(counted(n.state(batch)));
  if (n.with_states && n.has_cells()) all["c0"] = small(counted(n.state(batch)));
  return all;
}

std::string text(const Network& n) {
  return n.op + " " + n.direction + (n.batch_first ? " batch first" : "") +
         (n.with_states ? " with states" : "");
}

void same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("output " << i);
    CHECK(a[i].shape == b[i].shape);
    CHECK(a[i].bytes == b[i].bytes);
  }
}

/// The size of a dimension of x for each sequence, as TensorFlow's converter writes it, less
/// `shorter`.
void add_lengths_of_all(Writer& w, const Network& n, std::int64_t shorter) {
  size_of(w, "x", n.batch_first ? 1 : 0, "steps");
  size_of(w, "x", n.batch_first ? 0 : 1, "count");
  w.initializer(list("shorter", {shorter})).node("Sub", {"steps1", "shorter"}, {"each"});
  w.node("Expand", {"each", "count1"}, {"all"});
  w.node("Cast", {"all"}, {"lengths"}, {attribute("to", 6)});
}

/// What belongs to sequence k of a batch: its first steps of x or y, its states.
Tensor part(const Tensor& t, std::uint32_t axis, std::uint32_t k, std::uint32_t steps_axis = 9,
            std::uint32_t steps = 0) {
  Dims shape = t.shape;
  shape[axis] = 1;
  if (steps_axis < 9) shape[steps_axis] = steps;
  return generated(t.type, shape, [&](Dims p) {
    p[axis] = k;
    return t.at(p);
  });
}

}  // namespace

TEST_CASE("onnx: open dimensions: LSTM, GRU and RNN have the bits of those of known sizes") {
  for (const Network& n : networks({"LSTM", "GRU", "RNN"})) {
    INFO(text(n));
    Writer open;
    add_network(open, n, "steps", "batch");
    Imported graph(open);
    for (const std::uint32_t steps : {1u, 2u, 5u, 33u})
      for (const std::uint32_t batch : {1u, 3u}) {
        Writer fixed;
        add_network(fixed, n, std::to_string(steps), std::to_string(batch));
        const auto in = values(n, steps, batch);
        same_bits(graph.run(in), run(fixed.file(), in));
      }
  }
}

TEST_CASE("onnx: open dimensions: sequence_lens that follow from sizes are all steps") {
  for (Network n : networks({"LSTM", "GRU", "RNN"})) {
    INFO(text(n));
    Writer plain;
    add_network(plain, n, "5", "2");
    n.lengths = "lengths";
    Writer open = with_zeros();
    add_lengths_of_all(open, n, 0);
    add_network(open, n, "steps", "batch");
    const auto in = values(n, 5, 2);
    same_bits(Imported(open).run(in), run(plain.file(), in));
  }
  const Network n{.lengths = "lengths"};
  Writer shorter = with_zeros();
  add_lengths_of_all(shorter, n, 1);
  add_network(shorter, n, "steps", "batch");
  CHECK(refusal(shorter) ==
        "DataError onnx: node 9 \"cell\" (LSTM-17): reshapeDynamic: the number of elements of "
        "newShape ([63, 128, 3]) is not that of the shape ([64, 128, 3]) of input, with steps = 64 "
        "and batch = 128.");
}

TEST_CASE("onnx: sequences of different lengths are computed as each of them alone") {
  for (const Network& alone : networks({"LSTM", "GRU", "RNN"})) {
    for (const bool open : {false, true}) {
      Network n = alone;
      n.lengths = "lengths";
      INFO(text(n) << (open ? " open" : ""));
      const std::uint32_t steps = 5, batch = 4;
      Writer w;
      const std::string N = open ? "batch" : "4";
      w.input("lengths", {N}, INT32);
      add_network(w, n, open ? "steps" : "5", N);
      auto in = values(n, steps, batch);
      const std::vector<std::uint32_t> lengths{3, 5, 1, 0};
      in["lengths"] = webnn::test::tensor(int32, {4}, {3, 5, 1, 0});
      const std::vector<Tensor> all = Imported(w).run(in);
      const std::uint32_t step_axis = n.batch_first ? 1 : 0, batch_axis = n.batch_first ? 0 : 1;
      const std::uint32_t y_batch = n.batch_first ? 0 : 2, y_step = n.batch_first ? 1 : 0;
      for (std::uint32_t k = 0; k < batch; ++k) {
        INFO("sequence " << k);
        const Tensor rest = part(all[0], y_batch, k);
        for_each_place(rest.shape, [&](const Dims& p) {
          if (p[y_step] >= lengths[k]) CHECK(rest.at(p) == 0);
        });
        if (lengths[k] == 0) {  // as in ONNX Runtime
          for (std::size_t s = 1; s < all.size(); ++s) {
            const Tensor state = part(all[s], batch_axis, k);
            for (std::size_t i = 0; i < state.size(); ++i) CHECK(state[i] == 0);
          }
          continue;
        }
        Writer one;
        add_network(one, alone, std::to_string(lengths[k]), "1");
        std::map<std::string, Tensor> own;
        own["x"] = part(in.at("x"), batch_axis, k, step_axis, lengths[k]);
        for (const char* name : {"h0", "c0"})
          if (in.count(name)) own[name] = part(in.at(name), batch_axis, k);
        const std::vector<Tensor> expected = run(one.file(), own);
        for (std::size_t s = 0; s < all.size(); ++s) {
          INFO("output " << s);
          const Tensor got =
              s == 0 ? part(all[0], y_batch, k, y_step, lengths[k]) : part(all[s], batch_axis, k);
          check(got, expected[s].shape, [&](const Dims& p) { return expected[s].at(p); });
        }
      }
    }
  }
}

TEST_CASE("onnx: lengths of sequences that a file cannot have") {
  for (const auto& [lengths, message] :
       {std::pair{Ints{3, 6}, "a sequence of 6 steps in an input of 5."},
        std::pair{Ints{-1, 5}, "a sequence of -1 steps in an input of 5."},
        std::pair{Ints{5}, "sequence_lens has shape [1], not [2]."}}) {
    const Network n{.lengths = "lengths"};
    Writer w;
    w.initializer(list("lengths", lengths));
    add_network(w, n, "5", "2");
    CHECK(refusal(w) == std::string("DataError onnx: node 0 \"cell\" (LSTM-17): ") + message);
  }
}
