// Graphs with every operator, and each part of the grammar.
#include "tests/fuzz/custom_example.h"
#include "tests/fuzz/library_example.h"
#include "tests/fuzz/narrow_example.h"
#include "tests/fuzz/seeds.h"
#include "tests/random/generator.h"
#include "tests/random/open_example.h"
#include "webnn/text.h"

namespace webnn::inline v0_1::fuzz {

void write_seeds(const std::filesystem::path& folder) {
  const auto write = [&](const std::string& name, const std::string& file) {
    write_seed(folder / name, std::as_bytes(std::span(file)));
  };
  MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      MLGraphBuilder b(context);
      const test::RandomGraph random = test::random_operator(b, kind, seed);
      write(std::string(ops::AllOps::names[kind]) + std::to_string(seed),
            webnn::text::export_model(b.build(random.outputs)));
    }
  write("grammar", R"(# comment
webnn_graph "a \"name\" \\" v2 @quantized { // another
  consts { e: f32[] @scalar(-0.5e-3); m: u8[2, 1] @bytes([1,0]); w: f32[4] @weights("w"); }
  inputs { x: f32[dyn("batch", 8), 4]; #: "x:0"
    /a/b.c: i4[3]; $v: u4[2]; }
  nodes { [l, r] = split(x, splits=[2,2], axis=1, metadata={kind: "k", "on": [true, null]});
    c = concat([l, r], axis=1); d = clamp(c, minValue=1.0, maxValue="Infinity", label="d \\ e");
    s = reshape(d, newShape=[dyn("batch", 8), {name: "n", maxSize: 4}, 1]); z = s; }
  outputs { d, l; z }
}
)");
  for (std::size_t i = 0, count = 1; i < count; ++i) {  // graphs that are small enough to run
    MLGraphBuilder b(context);
    const NamedOperands outputs = test::open_example(b);
    count = outputs.size();
    write("open_" + outputs[i].name, text::export_model(b.build({outputs[i]})));
  }
  for (const bool open : {false, true}) {
    MLGraphBuilder b(context);
    write(open ? "custom_open" : "custom",
          webnn::text::export_model(b.build(custom_example(b, open))));
  }
  {
    MLGraphBuilder b(context);
    write("narrow", webnn::text::export_model(b.build(narrow_example(b))));
  }
  each_library_operator(context, [&](const std::string& name, const MLGraph& graph) {
    write(name, webnn::text::export_model(graph));
  });
  // Subgraphs that data chooses.
  write("control", R"(webnn_graph "g" v1 {
  inputs { x: f32[]; c: u8[]; n: i64[]; }
  consts { h: f32[] @scalar(0.5); }
  nodes { y = custom("webnn.Loop", n, c, x, h, version=1, attributes={"subgraphs": [
"{\"states\":1,\"condition\":true,\"inputs\":[[\"int64\",[]],[\"float32\",[]],[\"float32\",[]]],\"operators\":[{\"name\":\"mul\",\"label\":\"\",\"rows\":[[1],[2]],\"results\":[[\"float32\",[]]]},{\"name\":\"greater\",\"label\":\"\",\"rows\":[[3],[2]],\"results\":[[\"uint8\",[]]]}],\"outputs\":[3,4]}"]});
    z = custom("webnn.If", c, y, version=1, attributes={"subgraphs": [
"{\"states\":0,\"condition\":false,\"inputs\":[[\"int64\",[]],[\"float32\",[]]],\"operators\":[{\"name\":\"relu\",\"label\":\"r\",\"rows\":[[1]],\"results\":[[\"float32\",[]]]}],\"outputs\":[2]}",
"{\"states\":0,\"condition\":false,\"inputs\":[[\"int64\",[]],[\"float32\",[]]],\"operators\":[],\"outputs\":[1]}"]}); }
  outputs { y; z; }
}
)");
  write("open", R"(webnn_graph "g" v2 {
  inputs { x: f32[dyn("batch", 8), 3, "rows", 4];
    past: f32[dyn("batch", 9, 1), dyn("past", 16, 0)]; }
  consts { z: u32[4] @scalar(0); one: u32[1] @scalar(1); o: u32[] @scalar(1); n: u32[] @scalar(0); }
  nodes { s = shape(x); b = slice(s, [0], [1]); r = slice(s, [2], [1]);
    flat = reshape(x, newShape=[dyn("batch", 8), -1]); sl = sliceDynamic(x, z, s);
    e = expand(one, newShape=[dyn("batch", 8)]); l = concat(one, one, one, r, axis=0);
    t = tileDynamic(x, l); p = padDynamic(x, z, l); u = unsqueeze(x, axes=[-1]);
    q = squeeze(u); m = reshapeTo2d(x, axis=2); d = dimension(x, axis=2); k = rank(x);
    a = range(n, d, o); i = concat(b, r, axis=0); re = reshapeDynamic(past, i);
    g = resample2dDynamic(x, sizes=i); [f, h] = splitDynamic(x, [1, 2], axis=1);
    w = expandDynamic(r, newShape=i); }
  outputs { flat; sl; e; t; p; q; m; k; a; re; g; f; h; w; }
}
)");
}

}  // namespace webnn::inline v0_1::fuzz
