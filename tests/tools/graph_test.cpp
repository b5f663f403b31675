// webnn graph: Graphviz, and what the page says. How it looks is page_test.mjs.
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

/// The page's data.
Json data_of(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const std::size_t at = page.find(begin) + begin.size();
  return Json::parse(page.substr(at, page.find("</script>", at) - at));
}
Json page_of(const Folder& folder, const std::string& model, std::vector<std::string> more) {
  more.insert(more.begin(), {"graph", model, "-o", folder.path("p.html")});
  const Outcome o = webnn_command(more);
  INFO(o.err);
  REQUIRE(o.code == 0);
  return data_of(folder.read("p.html"));
}

std::vector<Json> boxes_of(const Json& view, const std::string& kind) {
  std::vector<Json> all;
  for (const Json& node : view["nodes"])
    if (node["kind"] == kind) all.push_back(node);
  return all;
}

/// How many bytes of pixels an image has.
std::size_t pixels_of(const Json& image) {
  const std::size_t pixels =
      image["width"].get<std::size_t>() * image["height"].get<std::size_t>() *
      image["channels"].get<std::size_t>() * image["images"].get<std::size_t>();
  CHECK(image["pixels"].get<std::string>().size() == (pixels + 2) / 3 * 4);
  return pixels;
}

TEST_CASE("graph: Graphviz, or a page that names cannot break out of") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome dot = webnn_command({"graph", model});
  CHECK(dot.code == 0);
  CHECK(dot.out.substr(0, 7) == "digraph");
  CHECK(webnn_command({"graph", model, "--optimized"}).out.substr(0, 7) == "digraph");
  CHECK(webnn_command({"graph", model, "--json"}).code == 2);

  const std::string evil = hostile_names_model(folder);
  for (const char* option : {"--no-time", "--values"}) {
    const Outcome o = webnn_command(
        {"graph", evil, option, "--runs", "1", "-o", folder.path("p.html"), "--json"});
    REQUIRE(o.code == 0);
    CHECK(o.json()["format"] == "html");
    const std::string page = folder.read("p.html");
    CHECK(count(page, "</script") == 2);  // the page's own: its data and its program
    CHECK(contains(page, "\\u003c/script"));
    CHECK(count(page, "http") == count(page, "http://www.w3.org/2000/svg"));
    CHECK(count(page, "@DATA@") + count(page, ".js@") + count(page, ".css@") == 0);
  }
}

TEST_CASE("graph: a box for each step, with its kernel and shape") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const Json explained = webnn_command({"explain", model, "--no-time", "--json"}).json();
    const Json view = page_of(folder, model, {"--runs", "2"})["views"][0];
    const std::vector<Json> steps = boxes_of(view, "step");
    REQUIRE(steps.size() == explained["steps"].size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Json &box = steps[i], &step = explained["steps"][i];
      CHECK(box["step"] == i + 1);
      CHECK(box["lines"][1] ==
            step["backend"].get<std::string>() + ' ' + step["kernel"].get<std::string>());
      CHECK(contains(box["lines"][2].get<std::string>(), "["));
      CHECK(box["operators"].size() == step["operators"].size());
      CHECK(!box["results"].empty());
      CHECK(box["us"].get<double>() >= 0);
    }
    CHECK(boxes_of(view, "input").size() == 1);
    CHECK(boxes_of(view, "output").size() == 1);
    // All hang together: from every box but the output a line leads on.
    std::vector<bool> leads(view["nodes"].size());
    for (const Json& edge : view["edges"]) leads[edge["from"].get<std::size_t>()] = true;
    for (std::size_t i = 0; i < leads.size(); ++i)
      CHECK(leads[i] == (view["nodes"][i]["kind"] != "output"));
  }
}

TEST_CASE("graph: the overview says what info and explain say") {
  const Folder folder;
  const std::string model = product_model(folder);
  const Json info = webnn_command({"info", model, "--build", "--json"}).json();
  const Json page = page_of(folder, model, {"--runs", "2"}), overview = page["overview"];
  for (const char* key :
       {"parameters", "weight_bytes", "macs", "steps", "operators", "constants"}) {
    INFO(key);
    CHECK(overview[key] == info[key]);
  }
  CHECK(overview["optimized"] == info["operators_optimized"]);
  CHECK(overview["inputs"][0]["name"] == "x");
  CHECK(overview["inputs"][0]["type"] == "float32 [1, 64]");
  CHECK(overview["outputs"][0]["type"] == "float32 [1, 96]");
  const Json memory = overview["memory"];
  CHECK(memory["packed"] == info["memory"]["packed_weights"]);
  CHECK(memory["arena"] == info["memory"]["arena"]);
  CHECK(memory["total"] ==
        memory["packed"].get<std::size_t>() + memory["constants"].get<std::size_t>() +
            memory["arena"].get<std::size_t>() + memory["scratch"].get<std::size_t>());
  CHECK(overview["us"].get<double>() > 0);
  CHECK(page["tensors"].empty());
  const Json untimed = page_of(folder, model, {"--no-time"});
  CHECK_FALSE(untimed["overview"].contains("us"));
  CHECK_FALSE(boxes_of(untimed["views"][0], "step")[0].contains("us"));
}

TEST_CASE("graph: the values are those of webnn run") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const Json run =
        webnn_command({"run", model, "--seed", "3", "--top-k", "3", "--json"}).json()["outputs"][0];
    const Json page = page_of(folder, model, {"--no-time", "--values", "--seed", "3"});
    const Json output = boxes_of(page["views"][0], "output")[0],
               tensor = page["tensors"][output["results"][0]["tensor"].get<std::size_t>()];
    const auto real = [&](const Json& v) {
      if (!tensor.contains("quantization")) return v.get<double>();
      const Json& q = tensor["quantization"];
      return (v.get<double>() - q["zero_point"].get<double>()) * q["scale"].get<double>();
    };
    for (const char* key : {"min", "max", "mean"}) {
      INFO(key);
      CHECK(real(tensor[key]) == Approx(run[key].get<double>()).epsilon(1e-6));
    }
    REQUIRE(tensor["elements"].size() == 3);
    for (const Json& score : run["top"][0])
      CHECK(real(tensor["elements"][score["index"].get<std::size_t>()]) ==
            Approx(score["score"].get<double>()).epsilon(1e-6));
    std::size_t counted = 0;
    for (const Json& n : tensor["histogram"]) counted += n.get<std::size_t>();
    CHECK(counted == 3);
    for (const Json& step : boxes_of(page["views"][0], "step"))
      for (const Json& result : step["results"]) CHECK(result.contains("tensor"));
    const Json input = boxes_of(page["views"][0], "input")[0];
    CHECK(page["tensors"][input["results"][0]["tensor"].get<std::size_t>()]["from"] ==
          "random, seed 3");
  }
}

TEST_CASE("graph: every operator as it was built has the values of its result") {
  const Folder folder;
  const Json page = page_of(folder, colors_model(folder), {"--no-time", "--values"});
  for (std::size_t view : {1u, 2u})
    for (const Json& box : boxes_of(page["views"][view], "operator")) {
      INFO(box["name"]);
      REQUIRE(box["results"][0].contains("tensor"));
      const Json tensor = page["tensors"][box["results"][0]["tensor"].get<std::size_t>()];
      CHECK(tensor["not_finite"] == 0);
      if (box["name"] == "relu") CHECK(tensor["min"].get<double>() >= 0);
      if (box["name"] == "conv2d") CHECK(pixels_of(tensor["image"]) == 4 * 4 * 3);
    }
}

TEST_CASE("graph: an image as input is an image on the page") {
  const Folder folder;
  const std::string model = colors_model(folder), image = bmp(folder, "a.bmp", 4, 4, 200, 100, 0);
  const Json page = page_of(folder, model, {"--no-time", "--values", "--image", image});
  const Json input = boxes_of(page["views"][0], "input")[0],
             tensor = page["tensors"][input["results"][0]["tensor"].get<std::size_t>()];
  CHECK(contains(tensor["from"].get<std::string>(), "a.bmp"));
  CHECK(tensor["max"] == 200);
  CHECK(tensor["image"]["channels"] == 3);
  CHECK(tensor["image"]["width"] == 4);
  // Pixels of 255, 128, 0: from the least to the greatest.
  CHECK(tensor["image"]["pixels"].get<std::string>().substr(0, 8) == "/4AA/4AA");
}

TEST_CASE("graph: a page with values has a limit") {
  const Folder folder;
  constexpr int length = 60;
  const std::string model = chain_model(folder, {1, 160, 120, 3}, length);
  const Json page = page_of(folder, model, {"--no-time", "--values", "--threads", "1"});
  const std::size_t with_values = folder.read("p.html").size();
  std::size_t pixels = 0;
  CHECK(page["tensors"].size() >= std::size_t{length});
  for (const Json& tensor : page["tensors"]) {
    CHECK_FALSE(tensor.contains("elements"));  // 57,600
    REQUIRE(tensor.contains("image"));
    const std::size_t bytes = pixels_of(tensor["image"]);
    CHECK(bytes <= 32768);
    pixels += bytes;
  }
  CHECK(pixels <= 1 << 20);
  CHECK(pixels > 1 << 19);  // the limit is made use of
  page_of(folder, model, {"--no-time"});
  const std::size_t without = folder.read("p.html").size();
  CHECK(with_values < without + (1 << 20) * 4 / 3 + page["tensors"].size() * 2000);
}

TEST_CASE("graph: a compiled graph has the values of its inputs and outputs") {
  const Folder folder;
  const std::string compiled = folder.path("m.webnnc");
  REQUIRE(webnn_command({"compile", product_model(folder), "-o", compiled}).code == 0);
  const Json page = page_of(folder, compiled, {"--no-time", "--values"});
  CHECK(boxes_of(page["views"][0], "output")[0]["results"][0].contains("tensor"));
  CHECK(page["tensors"].size() == 2);
}

TEST_CASE("graph: options that do not fit") {
  const Folder folder;
  const std::string model = colors_model(folder), image = bmp(folder, "a.bmp", 4, 4, 1, 2, 3);
  const Outcome dot = webnn_command({"graph", model, "--values"});
  CHECK(dot.code == 2);
  CHECK(contains(dot.err, "--values"));
  const Outcome unused =
      webnn_command({"graph", model, "-o", folder.path("p.html"), "--image", image});
  CHECK(unused.code == 2);
  CHECK(contains(unused.err, "--image"));
}

}  // namespace
