// docs_extract PAGE NAME OUTPUT: the C++ blocks of a page as the function page_NAME().
//
// The blocks between two setup comments are one function, as a reader who types them one after the
// other would write it. A block with a main() is a program by itself.
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "tests/docs/blocks.h"

namespace {

using webnn::test::Block;

struct Source {
  std::string includes, functions, calls;
  std::size_t count = 0;
};

/// The lines of a block; its #include lines go to the top of the file.
std::string body_of(const Block& b, const std::string& page, Source& s) {
  std::istringstream lines(b.text);
  std::string line, body = "#line " + std::to_string(b.line) + " \"" + page + "\"\n";
  while (std::getline(lines, line)) {
    if (line.rfind("#include", 0) == 0) {
      s.includes += line + '\n';
      line.clear();
    }
    body += line + '\n';
  }
  return body;
}

void add_program(const Block& b, const std::string& page, Source& s) {
  std::string body = body_of(b, page, s);
  body.replace(body.find("int main("), 9, "int run(");
  const std::string name = "program_" + std::to_string(++s.count);
  s.functions += "namespace " + name + " {\n" + body;
  // main() returns 0 without saying so.
  const std::size_t end = s.functions.rfind('}');
  s.functions.insert(end, "return 0;\n");
  s.functions += "}\n";
  s.calls += "  if (" + name + "::run() != 0) throw std::runtime_error(\"" + page + ":" +
             std::to_string(b.line) + ": the program failed\");\n";
}

void add_function(const std::string& body, Source& s) {
  if (body.empty()) return;
  const std::string name = "blocks_" + std::to_string(++s.count);
  s.functions += "void " + name + "() {\n" + body + "}\n";
  s.calls += "  " + name + "();\n";
}

Source source_of(const std::string& page) {
  Source s;
  std::string body;
  for (const Block& b : webnn::test::blocks_of(webnn::test::read_text(page))) {
    const bool setup = b.language == "setup";
    if (!setup && b.language != "cpp") continue;
    if (!setup && b.text.find("int main(") != std::string::npos) {
      add_program(b, page, s);
      continue;
    }
    if (setup) {
      add_function(body, s);
      body.clear();
    }
    body += body_of(b, page, s);
  }
  add_function(body, s);
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    const Source s = source_of(argv[1]);
    std::ofstream out(argv[3], std::ios::binary);
    out << "// Generated from " << argv[1] << "\n#include <stdexcept>\n#include <webnn/webnn.h>\n"
        << s.includes << "namespace {\nusing namespace webnn;\n"
        << s.functions << "}\nvoid page_" << argv[2] << "() {\n"
        << s.calls << "}\n";
    return out.flush() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "docs_extract: %s\n", e.what());
    return 1;
  }
}
