// A service that builds graphs from messages and runs them, with the methods of Chromium's WebNN
// service: CreateGraph, CreateTensor, WriteTensor, ReadTensor, Dispatch, Compute. The sender is not
// trusted: messages and what they make are bounded, and a wrong one is answered with an error.
#include <webnn/graphinfo.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

using namespace webnn;

namespace {

using Bytes = std::vector<std::byte>;
using Token = std::uint64_t;

struct Message {
  std::string method, graph_info;  ///< the graph as JSON, constants in base64
  Token token = 0;                 ///< that of a graph or tensor
  MLOperandDescriptor descriptor{};
  std::map<std::string, Token> named_inputs{}, named_outputs{};
  std::map<std::string, Bytes> buffers{};  ///< a tensor's contents have the name ""
};
struct Answer {
  std::string error{};
  Token token = 0;
  std::map<std::string, Bytes> buffers{};
};

class Service {
 public:
  Answer handle(const Message& m) {
    try {
      if (graphs_.size() + tensors_.size() >= 64) return {"too many graphs and tensors"};
      if (m.method == "CreateGraph") return create_graph(m);
      if (m.method == "CreateTensor") return create_tensor(m);
      if (m.method == "WriteTensor") {
        context_.writeTensor(tensors_.at(m.token), m.buffers.at(""));
        return {};
      }
      if (m.method == "ReadTensor") {
        const MLTensor& tensor = tensors_.at(m.token);
        Bytes bytes(byte_length({tensor.dataType(), tensor.shape()}));
        context_.readTensor(tensor, bytes);
        return {{}, m.token, {{"", bytes}}};
      }
      if (m.method == "Dispatch") {
        context_.dispatch(graphs_.at(m.token), tensors(m.named_inputs), tensors(m.named_outputs));
        return {};
      }
      if (m.method == "Compute") return compute(graphs_.at(m.token), m);
      return {"there is no method " + m.method};
    } catch (const std::out_of_range&) {
      return {"there is nothing with that token or name"};
    } catch (const std::exception& e) { return {e.what()}; }
  }

 private:
  Answer create_graph(const Message& m) {
    if (m.graph_info.size() > (1 << 20)) return {"the graph has more than 1 MiB"};
    MLGraphBuilder b(context_);
    const auto model = graphinfo::import_model(b, m.graph_info, {.max_bytes = 1 << 26}, "message");
    graphs_.emplace(++last_, b.build(model.outputs));
    return {{}, last_};
  }
  Answer create_tensor(const Message& m) {
    if (byte_length(m.descriptor) > (1 << 20)) return {"the tensor has more than 1 MiB"};
    const auto& [type, shape] = m.descriptor;
    tensors_.emplace(++last_, context_.createTensor({type, shape, true, true}));
    return {{}, last_};
  }
  Answer compute(const MLGraph& graph, const Message& m) {
    Answer answer;
    std::vector<NamedInput> in;
    std::vector<NamedOutput> out;
    for (const auto& [name, bytes] : m.buffers) in.push_back({name, bytes});
    for (const auto& [name, d] : graph.outputs()) {
      Bytes& bytes = answer.buffers[name];
      bytes.resize(byte_length(d));
      out.push_back({name, bytes});
    }
    context_.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
    return answer;
  }
  std::vector<NamedTensor> tensors(const std::map<std::string, Token>& named) const {
    std::vector<NamedTensor> all;
    for (const auto& [name, token] : named) all.push_back({name, tensors_.at(token)});
    return all;
  }

  MLContext context_;
  std::map<Token, MLGraph> graphs_{};
  std::map<Token, MLTensor> tensors_{};
  Token last_ = 0;
};

Bytes bytes_of(std::initializer_list<float> values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}
void print(const char* what, const Answer& a) {
  std::printf("%s:", what);
  for (const auto& [name, bytes] : a.buffers)
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      float v = 0;
      std::memcpy(&v, &bytes[i], sizeof v);
      std::printf(" %g", v);
    }
  std::printf("%s%s\n", a.error.empty() ? "" : " ", a.error.c_str());
}

/// y = relu(x), as a renderer would send it.
std::string relu() {
  MLGraphBuilder b{MLContext()};
  return graphinfo::export_model(b.build({{"y", b.relu(b.input("x", {float32, {3}}))}}));
}

}  // namespace

int main() {
  Service service;
  const Token graph = service.handle({"CreateGraph", relu()}).token;
  Message m{"Compute", "", graph};
  m.buffers["x"] = bytes_of({-1, 2, -3});
  print("Compute", service.handle(m));

  const MLOperandDescriptor d{float32, {3}};
  const Token x = service.handle({"CreateTensor", "", 0, d}).token,
              y = service.handle({"CreateTensor", "", 0, d}).token;
  print("WriteTensor", service.handle({"WriteTensor", "", x, {}, {}, {}, {{"", m.buffers["x"]}}}));
  print("Dispatch", service.handle({"Dispatch", "", graph, {}, {{"x", x}}, {{"y", y}}}));
  print("ReadTensor", service.handle({"ReadTensor", "", y}));

  m.buffers["x"].pop_back();
  print("Compute with 11 bytes", service.handle(m));
  print("Dispatch of no graph", service.handle({"Dispatch", "", 99}));
  print("CreateGraph of a part", service.handle({"CreateGraph", relu().substr(0, 100)}));
}
