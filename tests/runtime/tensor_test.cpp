// MLTensor: https://www.w3.org/TR/webnn/#api-mltensor
#include <cstring>
#include <future>
#include <thread>

#include "src/graph/access.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::thrown;

namespace {

const MLContextOptions alone{.threads = 1, .backends = {"reference"}};

}  // namespace

TEST_CASE("tensors start as zeros") {
  MLContext context(alone);
  const MLTensor t = context.createTensor({.dataType = int32, .shape = {3, 2}, .readable = true});
  CHECK(t.dataType() == int32);
  CHECK(t.shape() == Dims{3, 2});
  CHECK(t.readable());
  CHECK(!t.writable());
  CHECK(!t.constant());
  std::array<std::int32_t, 6> v;
  v.fill(7);
  context.readTensor(t, v);
  CHECK(v == std::array<std::int32_t, 6>{});
  CHECK(context.readTensor(t) == std::vector<std::byte>(24));
  const MLTensor scalar = context.createTensor({.dataType = int64, .shape = {}, .readable = true});
  CHECK(context.readTensor(scalar).size() == 8);
  const MLTensor nibbles =
      context.createTensor({.dataType = uint4, .shape = {5}, .readable = true});
  CHECK(context.readTensor(nibbles).size() == 3);
}

TEST_CASE("dimensions of tensors") {
  MLContext context(alone);
  CHECK(thrown([&] {
          context.createTensor({float32, {2, 0}});
        }) ==
        "TypeError createTensor: dimension 1 (0) of the tensor is not between 1 and 2147483647.");
  CHECK(thrown([&] {
          context.createTensor({float32, {1u << 30}});
        }) ==
        "TypeError createTensor: the byte length (4294967296) of the tensor is greater than "
        "2147483647.");
  CHECK(thrown([&] {
          context.createTensor({float32, Dims(9, 1)});
        }) == "TypeError createTensor: the rank (9) of the tensor is greater than 8.");
  const std::array<float, 3> three{};
  CHECK(thrown([&] {
          context.createConstantTensor({float32, {0}}, three);
        }) ==
        "TypeError createConstantTensor: dimension 0 (0) of the tensor is not between 1 and "
        "2147483647.");
  CHECK(thrown([&] {
          context.createConstantTensor({float32, {2}}, three);
        }) ==
        "TypeError createConstantTensor: the byte length (12) is not that of float32 [2] (8).");
  CHECK(thrown([&] {
          context.createConstantTensor({int32, {3}}, three);
        }) ==
        "TypeError createConstantTensor: the elements are not of the data type (int32) of the "
        "tensor.");
}

TEST_CASE("who may write and read a tensor") {
  MLContext context(alone), other(alone);
  const std::array<float, 2> v{1, 2};
  std::array<float, 2> w{};
  const MLTensor closed = context.createTensor({float32, {2}});
  CHECK(thrown([&] { context.writeTensor(closed, v); }) ==
        "TypeError writeTensor: the tensor is not writable.");
  CHECK(thrown([&] { context.readTensor(closed, w); }) ==
        "TypeError readTensor: the tensor is not readable.");
  CHECK(thrown([&] { context.readTensor(closed); }) ==
        "TypeError readTensor: the tensor is not readable.");

  MLTensor t =
      context.createTensor({.dataType = float32, .shape = {2}, .readable = true, .writable = true});
  CHECK(thrown([&] { other.writeTensor(t, v); }) ==
        "TypeError writeTensor: the tensor belongs to another context.");
  CHECK(thrown([&] { other.readTensor(t, w); }) ==
        "TypeError readTensor: the tensor belongs to another context.");
  CHECK(thrown([&] { context.writeTensor(t, std::array<float, 3>{}); }) ==
        "TypeError writeTensor: the byte length (12) is not that of float32 [2] (8).");
  CHECK(thrown([&] { context.writeTensor(t, std::array<std::int32_t, 2>{}); }) ==
        "TypeError writeTensor: the elements are not of the data type (float32) of the tensor.");
  std::array<std::uint64_t, 1> wrong{};
  CHECK(thrown([&] { context.readTensor(t, wrong); }) ==
        "TypeError readTensor: the elements are not of the data type (float32) of the tensor.");
  std::array<std::uint8_t, 7> few{};
  CHECK(thrown([&] { context.readTensor(t, few); }) ==
        "TypeError readTensor: the byte length (7) is not that of float32 [2] (8).");
  context.writeTensor(t, v);
  context.readTensor(t, w);
  CHECK(w == v);

  MLTensor same = t;
  same.destroy();
  same.destroy();
  CHECK(thrown([&] { context.writeTensor(t, v); }) ==
        "TypeError writeTensor: the tensor is destroyed.");
  CHECK(thrown([&] { context.readTensor(t, w); }) ==
        "TypeError readTensor: the tensor is destroyed.");
  CHECK(t.shape() == Dims{2});

  const MLTensor c = context.createConstantTensor({float32, {2}}, v);
  CHECK(c.constant());
  CHECK(!c.readable());
  CHECK(!c.writable());
  CHECK(thrown([&] { context.writeTensor(c, v); }) ==
        "TypeError writeTensor: the tensor is not writable.");
  CHECK(thrown([&] { context.readTensor(c, w); }) ==
        "TypeError readTensor: the tensor is not readable.");
}

TEST_CASE("bytes and bits view tensors") {
  MLContext context(alone);
  const MLTensor t =
      context.createTensor({.dataType = float16, .shape = {2}, .readable = true, .writable = true});
  context.writeTensor(t, std::array<std::uint16_t, 2>{0x3c00, 0xc000});
  std::array<Float16, 2> halves{};
  context.readTensor(t, halves);
  CHECK(halves[0] == 1.f);
  CHECK(halves[1] == -2.f);
  std::array<std::byte, 5> bytes{};
  context.readTensor(t, std::span(bytes).subspan(1));  // no alignment is asked for
  CHECK(bytes[2] == std::byte{0x3c});
  context.writeTensor(t, std::span(bytes).first(4));
}

TEST_CASE("values are copied before writeTensor returns") {
  MLContext context(alone);
  const MLTensor t =
      context.createTensor({.dataType = float32, .shape = {2}, .readable = true, .writable = true});
  std::array<float, 2> v{1, 2}, w{};
  context.writeTensor(t, v);
  v = {3, 4};
  context.readTensor(t, w);
  CHECK(w == std::array{1.f, 2.f});
}

TEST_CASE("a tensor destroyed while it is read") {
  test::Gate gate;
  MLContext context({.threads = 1, .backends = {test::gated_backend(gate)}});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.relu(b.input("x", {float32, {2}}))}});
  const MLTensor x = context.createTensor({.dataType = float32, .shape = {2}, .writable = true});
  MLTensor y = context.createTensor({.dataType = float32, .shape = {2}, .readable = true});
  context.dispatch(graph, {{"x", x}}, {{"y", y}});
  gate.await_visitor();
  std::string message;
  std::thread reader([&] {
    std::array<float, 2> w{};
    message = thrown([&] { context.readTensor(y, w); });
  });
  // Until the job that reads holds it too: the arguments have been checked.
  while (detail::state_of(y).use_count() < 4) std::this_thread::yield();
  y.destroy();
  gate.open();
  reader.join();
  CHECK(message == "InvalidStateError readTensor: the tensor was destroyed while it was read.");
}

TEST_CASE("what an asynchronous read gets stays when the tensor is written again") {
  MLContext context(alone);
  const MLTensor t =
      context.createTensor({.dataType = int32, .shape = {2}, .readable = true, .writable = true});
  const auto read = [&] {
    std::promise<std::optional<Constant>> promise;
    context.readTensor_async(t, [&](std::exception_ptr failure, std::optional<Constant> values) {
      CHECK(!failure);
      promise.set_value(std::move(values));
    });
    return promise.get_future().get().value();
  };
  const auto list = [](const Constant& c) {
    const auto* p = reinterpret_cast<const std::int32_t*>(c.bytes().data());
    return std::vector<std::int32_t>(p, p + c.bytes().size() / 4);
  };
  context.writeTensor(t, std::array<std::int32_t, 2>{1, 2});
  const Constant first = read();
  context.writeTensor(t, std::array<std::int32_t, 2>{3, 4});
  const Constant second = read();
  CHECK(list(first) == std::vector<std::int32_t>{1, 2});
  CHECK(list(second) == std::vector<std::int32_t>{3, 4});
}

TEST_CASE("an asynchronous read runs here what takes no time") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  const MLGraph graph = b.build({{"y", b.neg(x)}});
  const MLTensor in = context.createTensor({.shape = {2}, .writable = true});
  const MLTensor out = context.createTensor({.shape = {2}, .readable = true});
  float value = 0;
  const auto read_here = [&] {
    ++value;
    context.writeTensor(in, std::array<float, 2>{value, 2 * value});
    context.dispatch(graph, {{"x", in}}, {{"y", out}});
    std::promise<std::pair<std::thread::id, float>> promise;
    context.readTensor_async(out, [&](std::exception_ptr, std::optional<Constant> values) {
      float second = 0;
      std::memcpy(&second, values->bytes().data() + 4, 4);
      promise.set_value({std::this_thread::get_id(), second});
    });
    const auto [thread, second] = promise.get_future().get();
    CHECK(second == -2 * value);
    return thread == std::this_thread::get_id();
  };
  CHECK(!read_here());  // how long the graph takes is not known yet
  // The thread of the timeline may be there first, but not always.
  bool here = false;
  for (int i = 0; i < 100000 && !here; ++i) here = read_here();
  CHECK(here);
}

TEST_CASE("a future of what an asynchronous read gets") {
  MLContext context(alone);
  MLTensor t =
      context.createTensor({.dataType = int32, .shape = {2}, .readable = true, .writable = true});
  context.writeTensor(t, std::array<std::int32_t, 2>{1, 2});
  const Constant values = context.readTensor_async(t).get();
  context.writeTensor(t, std::array<std::int32_t, 2>{3, 4});
  REQUIRE(values.bytes().size() == 8);
  CHECK(std::memcmp(values.bytes().data(), std::array<std::int32_t, 2>{1, 2}.data(), 8) == 0);
  t.destroy();
  CHECK(thrown([&] { context.readTensor_async(t); }) ==
        "TypeError readTensor: the tensor is destroyed.");
}

TEST_CASE("mistakes of an asynchronous read") {
  MLContext context(alone);
  MLTensor closed = context.createTensor({float32, {2}});
  CHECK(!closed.destroyed());
  const auto never = [](std::exception_ptr, std::optional<Constant>) { FAIL("was called"); };
  CHECK(thrown([&] { context.readTensor_async(closed, never); }) ==
        "TypeError readTensor: the tensor is not readable.");
  closed.destroy();
  CHECK(closed.destroyed());
  CHECK(thrown([&] { context.readTensor_async(closed, never); }) ==
        "TypeError readTensor: the tensor is destroyed.");
}
