// The usual form of a text.
#include <fstream>
#include <iterator>

#include "src/formats/text/types.h"
#include "src/graph/text.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "tests/support/thrown.h"
#include "webnn/text.h"

namespace file = webnn::text;

TEST_CASE("format: one line for each declaration and operator") {
  const std::string formatted = R"(# A network.
webnn_graph "g" v2 @quantized {  # of two layers
  inputs {
    x: f32[dyn("batch", 8), 4];  #: "x:0"
  }

  consts {
    # weights

    w: f32[4, 4] @weights("w");
    e: f32[] @scalar(-0.5e-3);
    m: u8[2] @bytes([1, 0]);
  }

  nodes {
    h = matmul(x, w);

    [a, b] = split(h, splits=[2, 2], axis=1, metadata={kind: "k"});
    y = concat(a,  # first
        # and second
        b, axis=1);
    z = y;
  }

  outputs { y; z; }
}
)";
  CHECK(file::format(formatted) == formatted);
  CHECK(file::format(R"(# A network.
webnn_graph    "g" v 2@quantized{# of two layers
inputs{x:f32[ dyn( "batch",8 ),4 ] ;#: "x:0"
}consts {


  # weights


w : f32[4,4]@weights ("w");e:f32[]@scalar(-0.5e-3);m:u8[2] @bytes([1,0]);
}
nodes{
h=matmul ( x,w ) ;


[a,b]=split(h,splits=[2,2] , axis = 1,metadata={kind:"k"});
y=concat(a, # first
# and second
b,axis=1);z=y;
}

outputs{
y
z}}
)") == formatted);
}

TEST_CASE("format: outputs are in one line where they fit and have no comments") {
  const auto outputs = [](const std::string& names) {
    const std::string s = file::format("webnn_graph \"g\" v1 { outputs { " + names + " } }");
    return s.substr(s.find('\n') + 1);
  };
  CHECK(outputs("a,b;c") == "  outputs { a; b; c; }\n}\n");
  CHECK(outputs("") == "  outputs {}\n}\n");
  CHECK(outputs("a #: \"x\"\n b") == "  outputs {\n    a;  #: \"x\"\n    b;\n  }\n}\n");
  std::string many, lines;
  for (char c = 'a'; c <= 'z'; ++c) {
    many += std::string(4, c) + ';';
    lines += "    " + std::string(4, c) + ";\n";
  }
  CHECK(outputs(many) == "  outputs {\n" + lines + "  }\n}\n");
}

TEST_CASE("format: a comment before a brace does not swallow it") {
  const std::string formatted = R"(webnn_graph "g" v1  # first
{
  inputs  # second
  {
    x: f32[1];
  }

  nodes
      # third
  {
    y = relu(x);
  }

  outputs  # fourth
  {}
}
)";
  CHECK(file::format(formatted) == formatted);
  CHECK(file::format("webnn_graph \"g\" v1 # first\n{inputs # second\n{x:f32[1];} nodes\n# third\n{"
                     "y=relu(x);} outputs # fourth\n{}}") == formatted);
}

TEST_CASE("format: what is not a graph is refused") {
  CHECK(webnn::test::thrown([] { file::format("webnn_graph \"g\" v1 {\n  nodes { y = ; }\n}"); }) ==
        "DataError text [2:15]: there is \";\" where a name is expected.\n"
        "  nodes { y = ; }\n"
        "              ^");
}

TEST_CASE("format: the grammar for editors has the data types") {
  std::ifstream file(webnn::test::source_dir() / "editors/webnn.tmLanguage.json");
  const std::string grammar{std::istreambuf_iterator<char>(file), {}};
  CHECK(grammar.find('(' + webnn::joined(webnn::text::short_type_names, "|") + ')') !=
        std::string::npos);
}

TEST_CASE("format: a declaration that the text ends in") {
  for (const char* text : {"webnn_graph \"g\" v1 { consts { a: f32[2] @scalar(1",
                           "webnn_graph \"g\" v1 { consts { a: f32[2]",
                           "webnn_graph \"g\" v1 { consts { a: u8[1] @bytes([1; } }"})
    CHECK_THROWS_AS(file::format(text), webnn::DataError);
}
