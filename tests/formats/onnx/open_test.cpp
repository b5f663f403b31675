// Models whose inputs have dimensions that each run chooses: one import, runs at many sizes.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;
using webnn::test::thrown;

TEST_CASE("onnx: open dimensions: names are those of the file, or made of the input and the axis") {
  Writer w;
  w.input("x", {"batch", "", "3"}).input("z", {"-1", "batch"}).output("y");
  w.node("MatMul", {"x", "k"}, {"y"}).initializer(floats("k", {3, 1}, {1, 2, 3}));
  webnn::test::Builder b;
  const onnx::Model m = onnx::import_model(b, w.file());
  CHECK((m.input("x").dimensions() == MLDimensions{"batch", "x_axis1", 3}));
  CHECK((m.input("z").dimensions() == MLDimensions{"z_axis0", "batch"}));
  CHECK((m.output("y").dimensions() == MLDimensions{"batch", "x_axis1", 1}));
}

TEST_CASE("onnx: open dimensions: a question mark is not a name, and made names take sizes") {
  Writer w;
  w.input("x", {"?", "?", "3"}).input("z", {"-1", "?"}).output("y");
  w.node("MatMul", {"x", "k"}, {"y"}).initializer(floats("k", {3, 1}, {1, 2, 3}));
  webnn::test::Builder b;
  const onnx::Model m = onnx::import_model(b, w.file());
  CHECK((m.input("x").dimensions() == MLDimensions{"x_axis0", "x_axis1", 3}));
  CHECK((m.input("z").dimensions() == MLDimensions{"z_axis0", "z_axis1"}));
  webnn::test::Builder c;
  const onnx::Model at =
      onnx::import_model(c, w.file(), {.dimensions = {{"x_axis1", 5}, {"z_axis0", 2}}});
  CHECK((at.input("x").dimensions() == MLDimensions{"x_axis0", 5, 3}));
  CHECK((at.input("z").dimensions() == MLDimensions{2, "z_axis1"}));
  CHECK(thrown([&] {
          onnx::import_model(b, w.file(), {.dimensions = {{"?", 5}}});
        }) == "TypeError onnx: no input has a dimension named \"?\".");
}

TEST_CASE("onnx: open dimensions: Shape, Gather, Concat and Reshape split heads") {
  Writer w = with_zeros();
  w.input("x", {"batch", "sequence", "6"}).output("y").output("z");
  w.initializer(list("heads", {2})).initializer(list("rest", {-1})).initializer(list("six", {6}));
  size_of(w, "x", 0, "batch_size");
  size_of(w, "x", 1, "length");
  w.node("Concat", {"batch_size1", "length1", "heads", "rest"}, {"split"}, {attribute("axis", 0)});
  w.node("Reshape", {"x", "split"}, {"heads_last"});
  w.node("Transpose", {"heads_last"}, {"y"}, {attribute("perm", Ints{0, 2, 1, 3})});
  w.node("Transpose", {"y"}, {"back"}, {attribute("perm", Ints{0, 2, 1, 3})});
  w.node("Concat", {"batch_size1", "length1", "six"}, {"joined"}, {attribute("axis", 0)});
  w.node("Reshape", {"back", "joined"}, {"z"});
  Imported graph(w);
  for (const std::uint32_t batch : {1u, 2u, 5u})
    for (const std::uint32_t length : some_sizes) {
      const Tensor x = counted({batch, length, 6});
      const auto results = graph.run({{"x", x}});
      check(results[0], {batch, 2, length, 3}, [&](const Dims& p) {
        return x.at({p[0], p[2], p[1] * 3 + p[3]});
      });
      check(results[1], x.shape, [&](const Dims& p) { return x.at(p); });
    }
}

TEST_CASE("onnx: open dimensions: Range and Expand number the places of a sentence") {
  Writer w = with_zeros();
  w.input("ids", {"batch", "sequence"}, INT64).output("y").output("old");
  w.initializer(scalar("zero", 0)).initializer(scalar("one", 1));
  std::vector<float> table(2 * 128);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  w.initializer(floats("table", {128, 2}, table));
  w.node("Shape", {"ids"}, {"shape"});
  size_of(w, "ids", 1, "length");
  w.node("Range", {"zero", "length", "one"}, {"places"});
  w.node("Unsqueeze", {"places", "zeros"}, {"row"});
  w.node("Expand", {"row", "shape"}, {"all"});
  w.node("Gather", {"table", "all"}, {"y"});
  // Before it had Range, torch counted the places of ones.
  const std::int64_t one = 1;
  w.node("ConstantOfShape", {"length1"}, {"ones"},
         {tensor_attribute("value", int64s("", {1}, {one}))});
  w.node("NonZero", {"ones"}, {"found"}).node("Transpose", {"found"}, {"column"});
  w.node("Squeeze", {"column", "one1"}, {"numbers"}).initializer(list("one1", {1}));
  w.node("Add", {"numbers", "numbers"}, {"old"});
  Imported graph(w);
  for (const std::uint32_t batch : {1u, 3u})
    for (const std::uint32_t length : some_sizes) {
      const auto results = graph.run({{"ids", counted({batch, length}, int64)}});
      check(results[0], {batch, length, 2}, [](const Dims& p) { return 2.0 * p[1] + p[2]; });
      check(results[1], {length}, [](const Dims& p) { return 2.0 * p[0]; });
    }
}

TEST_CASE("onnx: open dimensions: a causal mask, and a sentence expanded to where -1 is not") {
  Writer w = with_zeros();
  w.input("x", {"1", "sequence"}).output("y");
  size_of(w, "x", 1, "length");
  w.node("Concat", {"length1", "length1"}, {"square"}, {attribute("axis", 0)});
  w.node("ConstantOfShape", {"square"}, {"ones"},
         {tensor_attribute("value", floats("", {1}, {1}))});
  w.node("Trilu", {"ones"}, {"lower"}, {attribute("upper", 0)});
  w.node("Cast", {"lower"}, {"mask"}, {attribute("to", 9)});
  w.initializer(floats("low", {}, {-100}));
  w.initializer(list("given", {-1, -1})).initializer(list("minus", {-1}));
  w.node("Shape", {"given"}, {"rank"});
  w.node("ConstantOfShape", {"rank"}, {"all_ones"},
         {tensor_attribute("value", int64s("", {1}, {1}))});
  w.node("Mul", {"all_ones", "minus"}, {"minuses"});
  w.node("Concat", {"length1", "minus"}, {"wanted"}, {attribute("axis", 0)});
  w.node("Equal", {"wanted", "minuses"}, {"is_kept"});
  w.node("Where", {"is_kept", "all_ones", "wanted"}, {"expanded"});
  w.node("Expand", {"x", "expanded"}, {"rows"});
  w.node("Where", {"mask", "rows", "low"}, {"y"});
  Imported graph(w);
  for (const std::uint32_t n : some_sizes) {
    const Tensor x = counted({1, n});
    check(graph.run({{"x", x}})[0], {n, n}, [&](const Dims& p) {
      return p[1] <= p[0] ? x.at({0, p[1]}) : -100;
    });
  }
}

TEST_CASE("onnx: open dimensions: Slice and Gather with computed places") {
  Writer w = with_zeros();
  w.input("x", {"batch", "sequence"}).output("inner").output("last").output("back").output("half");
  w.initializer(list("one", {1})).initializer(list("two", {2}));
  w.initializer(list("minus", {-1})).initializer(scalar("end", -1));
  w.initializer(list("first", {INT64_MIN}));
  size_of(w, "x", 1, "length");
  w.node("Sub", {"length1", "one"}, {"before"});
  w.node("Slice", {"x", "one", "before", "one"}, {"inner"});
  w.node("Gather", {"x", "end"}, {"last"}, {attribute("axis", 1)});
  w.node("Slice", {"x", "minus", "first", "one", "minus"}, {"back"});
  w.node("Div", {"length1", "two"}, {"middle"});
  w.node("Neg", {"middle"}, {"from_end"}).initializer(list("far", {INT64_MAX}));
  w.node("Slice", {"x", "from_end", "far", "one", "two"}, {"half"});
  Imported graph(w);
  for (const std::uint32_t n : {3u, 4u, 7u, 16u, 33u}) {
    const Tensor x = counted({2, n});
    const auto y = graph.run({{"x", x}});
    check(y[0], {2, n - 2}, [&](const Dims& p) { return x.at({p[0], p[1] + 1}); });
    check(y[1], {2}, [&](const Dims& p) { return x.at({p[0], n - 1}); });
    check(y[2], {2, n}, [&](const Dims& p) { return x.at({p[0], n - 1 - p[1]}); });
    check(y[3], {2, (n / 2 + 1) / 2}, [&](const Dims& p) {
      return x.at({p[0], n - n / 2 + 2 * p[1]});
    });
  }
}

TEST_CASE("onnx: open dimensions: Pad to a multiple, Tile, Size and Mod") {
  Writer w = with_zeros();
  w.input("x", {"batch", "sequence"}).output("padded").output("tiled").output("mean");
  w.initializer(scalar("four", 4)).initializer(list("three0", {0, 0, 0}));
  size_of(w, "x", 1, "length");
  size_of(w, "x", 0, "rows");
  w.node("Mod", {"length", "four"}, {"over"}).node("Sub", {"four", "over"}, {"missing"});
  w.node("Mod", {"missing", "four"}, {"pad"}).node("Unsqueeze", {"pad", "zeros"}, {"pad1"});
  w.node("Concat", {"three0", "pad1"}, {"pads"}, {attribute("axis", 0)});
  w.node("Pad", {"x", "pads"}, {"padded"});
  w.initializer(list("two", {2}));
  w.node("Concat", {"two", "rows1"}, {"repeats"}, {attribute("axis", 0)});
  w.node("Tile", {"x", "repeats"}, {"tiled"});
  w.node("ReduceSum", {"x"}, {"sum"}, {attribute("keepdims", 0)});
  w.node("Size", {"x"}, {"count"}).node("Cast", {"count"}, {"divisor"}, {attribute("to", 1)});
  w.node("Div", {"sum", "divisor"}, {"mean"});
  Imported graph(w);
  for (const std::uint32_t batch : {1u, 3u})
    for (const std::uint32_t n : some_sizes) {
      const Tensor x = counted({batch, n});
      const auto y = graph.run({{"x", x}});
      check(y[0], {batch, (n + 3) / 4 * 4}, [&](const Dims& p) { return p[1] < n ? x.at(p) : 0; });
      check(y[1], {2 * batch, batch * n}, [&](const Dims& p) {
        return x.at({p[0] % batch, p[1] % n});
      });
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
      check(y[2], {}, [&](const Dims&) { return sum / static_cast<double>(x.size()); });
    }
}

TEST_CASE("onnx: open dimensions: Split of an open axis, equally and by computed sizes") {
  Writer w = with_zeros();
  w.input("x", {"batch", "n"}).output("a").output("b").output("c").output("d");
  w.initializer(list("three", {3}));
  w.node("Split", {"x"}, {"a", "b"}, {attribute("axis", 1)});
  size_of(w, "x", 1, "length");
  w.node("Sub", {"length1", "three"}, {"others"});
  w.node("Concat", {"three", "others"}, {"parts"}, {attribute("axis", 0)});
  w.node("Split", {"x", "parts"}, {"c", "d"}, {attribute("axis", 1)});
  Imported graph(w);
  for (const std::uint32_t n : {4u, 6u, 8u, 20u}) {
    const Tensor x = counted({2, n});
    const auto y = graph.run({{"x", x}});
    check(y[0], {2, n / 2}, [&](const Dims& p) { return x.at(p); });
    check(y[1], {2, n / 2}, [&](const Dims& p) { return x.at({p[0], p[1] + n / 2}); });
    check(y[2], {2, 3}, [&](const Dims& p) { return x.at(p); });
    check(y[3], {2, n - 3}, [&](const Dims& p) { return x.at({p[0], p[1] + 3}); });
  }
}

TEST_CASE("onnx: open dimensions: MaxPool of an image that is smaller than the window") {
  const auto model = [](const std::string& height, const std::string& width) {
    Writer w;
    w.input("x", {"1", "1", height, width}).output("y");
    return w.node("MaxPool", {"x"}, {"y"},
                  {attribute("kernel_shape", Ints{3, 2}), attribute("strides", Ints{3, 2})});
  };
  Imported graph(model("height", "width"));
  const std::array<Dims, 6> sizes{{{1, 1}, {2, 1}, {2, 5}, {3, 2}, {7, 6}, {8, 9}}};
  for (const Dims& s : sizes) {
    const Tensor x = counted({1, 1, s[0], s[1]});
    const Dims shape{1, 1, std::max(s[0] / 3, 1u), std::max(s[1] / 2, 1u)};
    const auto largest = [&](const Dims& p) {
      double most = -1;
      for (std::uint32_t i = 3 * p[2]; i < std::min(3 * p[2] + 3, s[0]); ++i)
        for (std::uint32_t k = 2 * p[3]; k < std::min(2 * p[3] + 2, s[1]); ++k)
          most = std::max(most, x.at({0, 0, i, k}));
      return most;
    };
    check(graph.run({{"x", x}})[0], shape, largest);
    const Writer fixed = model(std::to_string(s[0]), std::to_string(s[1]));
    check(run(fixed.file(), {{"x", x}})[0], shape, largest);
  }
  Writer narrow;  // by a stride or more
  narrow.input("x", {"1", "1", "1", "1"}).output("y");
  narrow.node("MaxPool", {"x"}, {"y"},
              {attribute("kernel_shape", Ints{3, 3}), attribute("strides", Ints{2, 2})});
  CHECK(refusal(narrow) ==
        "DataError onnx: node 0 (MaxPool-17): the window is larger than the padded input.");
}

TEST_CASE("onnx: open dimensions: AveragePool with the padding of equal sizes") {
  for (const char* pad : {"SAME_UPPER", "SAME_LOWER"}) {
    Writer w;
    w.input("x", {"1", "1", "n"}).output("y");
    w.node("AveragePool", {"x"}, {"y"},
           {attribute("kernel_shape", Ints{4}), attribute("strides", Ints{3}),
            attribute("auto_pad", pad)});
    Imported graph(w);
    for (const std::uint32_t n : some_sizes) {
      const Tensor x = counted({1, 1, n});
      const std::uint32_t count = (n + 2) / 3;
      const int total = std::max(static_cast<int>(3 * count + 1 - n), 0);
      const int before = pad == std::string_view("SAME_UPPER") ? total / 2 : total - total / 2;
      check(graph.run({{"x", x}})[0], {1, 1, count}, [&](const Dims& p) {
        double sum = 0, within = 0;
        for (int i = 0; i < 4; ++i) {
          const int at = static_cast<int>(3 * p[2]) - before + i;
          if (at < 0 || at >= static_cast<int>(n)) continue;
          sum += x.at({0, 0, static_cast<std::uint32_t>(at)});
          ++within;
        }
        return sum / within;
      });
    }
  }
}

TEST_CASE("onnx: open dimensions: ReverseSequence by lengths that a run gives") {
  for (const bool time_first : {true, false}) {
    Writer w;
    w.input("x", time_first ? Names{"time", "batch", "2"} : Names{"batch", "time", "2"});
    w.input("lengths", {"batch"}, INT64).output("y");
    w.node(
        "ReverseSequence", {"x", "lengths"}, {"y"},
        {attribute("time_axis", time_first ? 0 : 1), attribute("batch_axis", time_first ? 1 : 0)});
    Imported graph(w);
    for (const std::uint32_t time : {4u, 7u}) {
      const Tensor x = counted(time_first ? Dims{time, 3, 2} : Dims{3, time, 2});
      const std::vector<double> lengths{1, 3, 4};
      const auto y = graph.run({{"x", x}, {"lengths", webnn::test::tensor(int64, {3}, lengths)}});
      check(y[0], x.shape, [&](Dims p) {
        std::uint32_t& t = p[time_first ? 0 : 1];
        const auto length = static_cast<std::uint32_t>(lengths[p[time_first ? 1 : 0]]);
        if (t < length) t = length - 1 - t;
        return x.at(p);
      });
    }
  }
}

TEST_CASE("onnx: open dimensions: a decoder's cache begins with a length of 0") {
  Writer w = with_zeros();
  w.input("tokens", {"batch", "new", "2"});
  w.input("past_key", {"batch", "past", "2"});
  w.output("present").output("scores").output("places");
  w.node("Concat", {"past_key", "tokens"}, {"present"}, {attribute("axis", 1)});
  w.node("Transpose", {"present"}, {"turned"}, {attribute("perm", Ints{0, 2, 1})});
  w.node("MatMul", {"tokens", "turned"}, {"scores"});
  size_of(w, "past_key", 1, "from");
  size_of(w, "present", 1, "to");
  w.initializer(scalar("one", 1));
  w.node("Range", {"from", "to", "one"}, {"places"});
  Imported graph(w);
  for (const std::uint32_t past : {0u, 1u, 5u, 40u})
    for (const std::uint32_t length : {1u, 4u}) {
      const Tensor x = counted({2, length, 2}), k = counted({2, past, 2});
      const auto y = graph.run({{"tokens", x}, {"past_key", k}});
      const auto key = [&](std::uint32_t b, std::uint32_t i, std::uint32_t d) {
        return i < past ? k.at({b, i, d}) : x.at({b, i - past, d});
      };
      check(y[0], {2, past + length, 2}, [&](const Dims& p) { return key(p[0], p[1], p[2]); });
      check(y[1], {2, length, past + length}, [&](const Dims& p) {
        return x.at({p[0], p[1], 0}) * key(p[0], p[2], 0) +
               x.at({p[0], p[1], 1}) * key(p[0], p[2], 1);
      });
      check(y[2], {length}, [&](const Dims& p) { return past + p[0]; });
    }
  // Nothing else may be empty.
  CHECK(graph.refusal({{"tokens", counted({2, 0, 2})}, {"past_key", counted({2, 3, 2})}}) ==
        "TypeError computeShapes: the size (0) of dimension \"new\" is not between 1 and "
        "2147483647.");
}

TEST_CASE("onnx: open dimensions: a number that holds at small sizes alone is not taken for one") {
  // Chunks of 4096: one of them at all sizes that are likely to be tried.
  Writer w = with_zeros();
  w.input("x", {"n"}).output("y");
  w.initializer(list("chunk", {4096})).initializer(list("more", {4095}));
  size_of(w, "x", 0, "length");
  w.node("Add", {"length1", "more"}, {"up"}).node("Div", {"up", "chunk"}, {"chunks"});
  w.node("Mul", {"chunks", "chunk"}, {"whole"}).node("Sub", {"whole", "length1"}, {"missing"});
  w.node("Concat", {"zeros", "missing"}, {"pads"}, {attribute("axis", 0)});
  w.node("Pad", {"x", "pads"}, {"padded"});
  w.node("Concat", {"chunks", "chunk"}, {"shape"}, {attribute("axis", 0)});
  w.node("Reshape", {"padded", "shape"}, {"rows"});
  w.node("Shape", {"rows"}, {"found"}).node("Gather", {"found", "first"}, {"count"});
  w.initializer(scalar("first", 0));
  w.node("Cast", {"count"}, {"number"}, {attribute("to", 1)});
  w.node("Add", {"x", "number"}, {"y"});
  Imported graph(w);
  for (const std::uint32_t n : {1u, 4096u}) {
    const Tensor x = counted({n});
    check(graph.run({{"x", x}})[0], {n}, [&](const Dims& p) { return x.at(p) + 1; });
  }
  CHECK(graph.refusal({{"x", counted({5000})}}) ==
        "TypeError computeShapes: padDynamic [padded]: dimension 0 of its result is 8192, but was "
        "4096 at all sizes "
        "that were tried while the graph was built, with n = 5000.");
}

TEST_CASE("onnx: open dimensions: hostile names and sizes are refused") {
  Writer w;
  w.input("x", {"x_axis1", "", "\x01\xff"}).output("y").output("z");
  w.initializer(list("huge", {INT64_MAX, 2, -1})).initializer(list("four", {4}));
  w.node("Shape", {"x"}, {"shape"}).node("Mul", {"shape", "huge"}, {"product"});
  w.node("Expand", {"x", "product"}, {"y"});
  w.node("Tile", {"x", "shape"}, {"z"});
  webnn::test::Builder b;
  const std::string message = refusal(w);
  CHECK(!message.starts_with("std::exception"));

  Writer tile;
  tile.input("x", {"x_axis1", ""}).output("y");
  tile.node("Shape", {"x"}, {"shape"}).node("Mul", {"shape", "shape"}, {"squares"});
  tile.node("Tile", {"x", "squares"}, {"y"});
  const onnx::Model m = onnx::import_model(b, tile.file());
  CHECK((m.input("x").dimensions() == MLDimensions{"x_axis1", "x_axis1_"}));
  const MLGraph graph = b.build(m.outputs, {.inputs = m.inputs});
  CHECK(graph.computeShapes({{"x", {2, 3}}})[0].descriptor.shape == Dims{8, 27});
  for (const Dims& shape : {Dims{0x7fffffff, 1}, Dims{100000, 2}, Dims{0, 1}, Dims{1}, Dims{}})
    CHECK(thrown([&] { graph.computeShapes({{"x", shape}}); }).starts_with("TypeError"));

  Writer ranks;
  ranks.input("x", {"n"}).input("k", {"n", "m"}).output("y");
  ranks.node("Shape", {"k"}, {"shape"}).node("Reshape", {"x", "shape"}, {"y"});
  CHECK(refusal(ranks) == "nothing");  // m may be 1
  Writer slice;
  slice.input("x", {"n"}).output("y").initializer(list("axes", {0, 1}));
  slice.node("Shape", {"x"}, {"shape"}).node("Slice", {"x", "shape", "shape", "axes"}, {"y"});
  CHECK(refusal(slice) ==
        "DataError onnx: node 1 (Slice-17): starts (1), ends (1), axes (2) and steps (1) have "
        "different lengths.");
}
