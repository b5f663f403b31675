// import_model(): reads the declarations, then the operators.
#include <cstring>

#include "src/builder/savepoint.h"
#include "src/builder/validate.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/text/scope.h"
#include "src/formats/text/weights.h"
#include "src/graph/element_bits.h"
#include "src/graph/text.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::text {
namespace {

constexpr std::uint64_t max_text_bytes = std::uint64_t{1} << 28;

/// An input or an output as the text names it.
struct Port {
  Token token{};
  std::string name{};  ///< the name in the file, or the one in a comment behind it
  Type type{};
};

class Importer {
 public:
  Importer(const MLGraphBuilder& builder, const ImportOptions& options, Source source,
           TextFile file)
      : source_(std::move(source)),
        options_(options),
        file_(std::move(file)),
        budget_(options.max_bytes, source_.text.size()),
        scope_(builder, options, source_) {}

  Model run() {
    Parser parser(source_);
    const Header header = parser.header();
    model_.name = header.name;
    model_.quantized = header.quantized;
    std::vector<std::size_t> nodes;  // where each block of them begins
    for (Block b = parser.block(); b != Block::end; b = parser.block()) {
      if (b == Block::nodes) {
        nodes.push_back(parser.offset());
        parser.skip_block();
      }
      while (b != Block::nodes && parser.has_item()) {
        if (b == Block::inputs) inputs_.push_back(input(parser));
        else if (b == Block::consts) constant(parser);
        else outputs_.push_back(output(parser));
      }
    }
    end_ = parser.offset();
    add_inputs();
    for (const std::size_t offset : nodes) add_operators(offset);
    for (const auto& [name, size] : options_.dimensions)
      if (!scope_.found.contains(name))
        wrong_option(fail("there is no open dimension {}", in_quotes(name)));
    add_outputs();
    return std::move(model_);
  }

 private:
  [[noreturn]] void wrong_option(const Failure& f) const {
    raise({f.message, ErrorName::TypeError}, "text", source_.label);
  }

  static std::string name_of(const Token& token, Parser& parser) {
    const auto comment = parser.name_comment();
    return comment && !comment->empty() ? *comment : std::string(token.text);
  }

  Port input(Parser& parser) {
    if (inputs_.size() == max_operands)
      source_.refuse(parser.offset(), fail("there are more than {} names", max_operands));
    Port port{parser.name()};
    parser.expect(':');
    port.type = parser.type();
    parser.end_declaration();
    port.name = name_of(port.token, parser);
    return port;
  }
  Port output(Parser& parser) {
    Port port{parser.output()};
    port.name = name_of(port.token, parser);
    return port;
  }

  // Inputs, when all of them are known: an open dimension may be in several.

  void add_inputs() {
    for (const auto& [name, shape] : options_.shapes) check_input_name(name);
    for (const auto& [name, x] : options_.inputs) check_input_name(name);
    for (const Port& port : inputs_) {
      bind_dimensions(port);
      for (const Dimension& d : port.type.shape)
        if (d.name) scope_.add_bounds(d, port.token.offset);
    }
    for (const Port& port : inputs_) {
      const auto x =
          formats::input_of(scope_.builder, port.name, descriptor(port), options_.inputs);
      if (!x && x.failure().name == ErrorName::TypeError) wrong_option(x.failure());
      if (!x) source_.refuse(port.token.offset, x.failure());
      scope_.set(port.token, *x);
      scope_.add_input(*x);
      model_.inputs.push_back({port.name, *x});
    }
  }
  void check_input_name(const std::string& name) const {
    for (const Port& port : inputs_)
      if (port.name == name) return;
    std::vector<formats::InputText> all;
    for (const Port& port : inputs_) all.push_back({port.name, {}});
    wrong_option(formats::no_input(name, all));
  }

  /// Takes open dimensions from the shape that the options give.
  void bind_dimensions(const Port& port) {
    Dims shape;
    if (const auto it = options_.shapes.find(port.name); it != options_.shapes.end())
      shape = it->second;
    else if (const MLOperand* x = formats::find_operand(options_.inputs, port.name);
             x && *x && !x->is_open())
      shape = x->shape();
    else return;
    if (shape.size() != port.type.shape.size())
      wrong_option(fail("input {}: the shape given ({}) does not have the rank ({}) of the file",
                        in_quotes(port.name), shape, port.type.shape.size()));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const Dimension& d = port.type.shape[i];
      if (!d.name && d.size != shape[i])
        wrong_option(fail("input {}: dimension {} of the shape given is {}, but the file says {}",
                          in_quotes(port.name), i, shape[i], d.size));
      if (!d.name) continue;
      const auto [known, is_new] = scope_.dimensions.emplace(*d.name, shape[i]);
      if (known->second != shape[i])
        wrong_option(fail("input {}: dimension {} ({}) is given as {} and as {}",
                          in_quotes(port.name), i, in_quotes(*d.name), shape[i], known->second));
    }
  }
  MLInputOperandDescriptor descriptor(const Port& port) {
    MLInputOperandDescriptor d{port.type.dataType, {}};
    for (const Dimension& size : port.type.shape)
      if (size.name) d.shape.push_back(scope_.dimension(*size.name, size.size));
      else d.shape.push_back(size.size);
    return d;
  }

  // Constants

  void constant(Parser& parser) {
    const Token name = parser.name();
    parser.expect(':');
    const std::size_t type_offset = parser.offset();
    const Type type = parser.type();
    MLOperandDescriptor d{type.dataType, {}};
    for (const Dimension& size : type.shape) {
      if (size.name) source_.refuse(type_offset, fail("the dimensions of a constant are numbers"));
      d.shape.push_back(size.size);
    }
    if (auto bad = check_dimensions("the constant", d.dataType, shape::sizes(d.shape)))
      source_.refuse(type_offset, *bad);
    const Constant bytes = contents(parser, name, d);
    parser.end_declaration();
    scope_.set(name, scope_.builder.constant(d, bytes));
  }

  Constant contents(Parser& parser, const Token& name, const MLOperandDescriptor& d) {
    const Token annotation = parser.next();
    if (annotation.kind != Token::Kind::annotation) return weights(std::string(name.text), name, d);
    parser.take();
    parser.expect('(');
    if (annotation.is("@weights")) {
      const Token key = parser.next();
      const Constant c = weights(parser.string(), key, d);
      parser.expect(')');
      return c;
    }
    if (annotation.is("@scalar")) return filled(parser, d);
    if (annotation.is("@bytes")) return written_out(parser, d);
    source_.refuse(annotation.offset,
                   fail("{} is not one of @weights, @scalar, @bytes", in_quotes(annotation.text)));
  }

  Constant weights(const std::string& key, const Token& at, const MLOperandDescriptor& d) {
    if (!weights_) {
      auto source = open_weights(options_, file_, budget_);
      if (!source) source_.refuse(at.offset, source.failure());
      weights_ = std::move(*source);
    }
    auto constant = weights_->constant(key, d, budget_);
    if (!constant) source_.refuse(at.offset, constant.failure());
    return *constant;
  }

  std::shared_ptr<std::vector<std::byte>> memory(std::size_t offset, const MLOperandDescriptor& d) {
    if (auto bad = budget_.spend(byte_length(d), "constants")) source_.refuse(offset, *bad);
    return std::make_shared<std::vector<std::byte>>(to_size(byte_length(d)));
  }

  /// A constant whose elements are all one number.
  Constant filled(Parser& parser, const MLOperandDescriptor& d) {
    const Token token = parser.take();
    formats::Value value = formats::Value::number(std::string(token.text));
    MLNumber number;
    if (token.kind != Token::Kind::number)
      source_.refuse(token.offset, fail("{} is not a number", in_quotes(token.text)));
    if (auto bad = from_value(value, number)) source_.refuse(token.offset, *bad);
    parser.expect(')');
    auto bytes = memory(token.offset, d);
    const std::vector<std::byte> element = element_of(d.dataType, value, number);
    for (std::size_t i = 0; i < bytes->size(); ++i) (*bytes)[i] = element[i % element.size()];
    const std::span<const std::byte> view(*bytes);
    return Constant::transferred(std::move(bytes), view);
  }

  static std::vector<std::byte> element_of(MLOperandDataType type, const formats::Value& value,
                                           const MLNumber& number) {
    std::uint64_t bits = 0;
    float f = 0;
    if (type == float32 && !from_value(value, f)) {
      bits = std::bit_cast<std::uint32_t>(f);
    } else {
      bits = element_bits(type, number);
      if (bits_of(type) == 4) bits *= 17;
    }
    std::vector<std::byte> bytes(std::max<std::size_t>(1, to_size(bits_of(type)) / 8));
    std::memcpy(bytes.data(), &bits, bytes.size());
    return bytes;
  }

  Constant written_out(Parser& parser, const MLOperandDescriptor& d) {
    const std::size_t offset = parser.offset();
    auto bytes = memory(offset, d);
    std::size_t n = 0;
    parser.expect('[');
    while (!parser.next().is(']')) {
      if (n > 0) parser.expect(',');
      const std::size_t at = parser.offset();
      const std::uint32_t v = parser.integer();
      if (v > 255) source_.refuse(at, fail("{} is not a byte, from 0 to 255", v));
      if (n < bytes->size()) (*bytes)[n] = static_cast<std::byte>(v);
      ++n;
    }
    parser.expect(']');
    parser.expect(')');
    if (n != bytes->size())
      source_.refuse(offset, fail("there are {} bytes, but shape {} of {} needs {}", n, d.shape,
                                  d.dataType, bytes->size()));
    const std::span<const std::byte> view(*bytes);
    return Constant::transferred(std::move(bytes), view);
  }

  void add_operators(std::size_t offset) {
    Parser parser(source_, offset);
    while (parser.has_item()) {
      if (++operators_ > max_operators)
        source_.refuse(parser.offset(), fail("there are more than {} operators", max_operators));
      import_statement(scope_, parser.statement());
    }
  }

  void add_outputs() {
    if (!options_.outputs.empty()) {
      for (const std::string& name : options_.outputs) {
        const MLOperand* x = scope_.find(name, end_);
        if (!x) wrong_option(fail("there is no operand {}", in_quotes(name)));
        add_output(name, *x, end_);
      }
      return;
    }
    if (outputs_.empty()) source_.refuse(end_, fail("the graph has no outputs"));
    std::map<std::string_view, std::size_t> names;
    for (const Port& port : outputs_) {
      if (!names.emplace(port.name, 0).second)
        source_.refuse(port.token.offset, fail("output {} is given twice", in_quotes(port.name)));
      const MLOperand& x = scope_.operand(port.token.text, port.token.offset);
      add_output(port.name, x, port.token.offset);
    }
  }
  void add_output(const std::string& name, const MLOperand& x, std::size_t offset) {
    try {
      model_.outputs.push_back({name, formats::output_of(scope_.builder, name, x)});
    } catch (const TypeError& e) {  // a type that identity does not have
      source_.refuse(offset, fail("output {}: {}", in_quotes(name), e.reason()));
    }
  }

  const Source source_;
  const ImportOptions& options_;
  const TextFile file_;
  formats::Budget budget_;
  Scope scope_;
  Model model_{};
  std::vector<Port> inputs_{}, outputs_{};
  std::unique_ptr<WeightSource> weights_{};
  std::size_t operators_ = 0, end_ = 0;
};

Model import_source(MLGraphBuilder& builder, Source source, TextFile file,
                    const ImportOptions& options) {
  if (source.text.size() > max_text_bytes)
    raise({detail::format("the text has {} bytes, but may have at most {}",
                          {source.text.size(), max_text_bytes}),
           ErrorName::DataError},
          "text", source.label);
  const std::string label = source.label;
  Savepoint savepoint(*detail::state_of(builder));
  try {
    Model model = Importer(builder, options, std::move(source), std::move(file)).run();
    savepoint.keep();
    return model;
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "text", label);
  }
}

}  // namespace

const MLOperand& Model::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "text");
}
const MLOperand& Model::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "text");
}

Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  auto file = formats::map_model(path);
  if (!file) raise(file.failure(), "text", path);
  const auto bytes = file->contents.bytes;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return import_source(builder, {text, path}, {path, file->folder}, options);
}

Model import_model(MLGraphBuilder& builder, std::string_view text, const ImportOptions& options,
                   std::string_view label) {
  return import_source(builder, {text, std::string(label)}, {}, options);
}

}  // namespace webnn::inline v0_1::text
