#include "tests/formats/tflite/exported.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using B = MLGraphBuilder;
constexpr MLOperandDataType types_moved[] = {float32, int32, uint32, int64, int8, uint8};

}  // namespace

TEST_CASE("exported: reshape, transpose, expand, tile, reverse, concat, split") {
  Random r(1);
  for (const auto type : types_moved) {
    INFO(name_of(type));
    const Tensor x = r.tensor(type, {2, 3, 4}, 0, 100), y = r.tensor(type, {2, 1, 4}, 0, 100);
    const auto run = [&](auto f) {
      return check_exported({[=](B& b, Build::Operands o) { return f(b, o[0], o[1]); }, {x, y}});
    };
    run([](B& b, auto a, auto) { return b.reshape(a, {4, 6}); });
    run([](B& b, auto a, auto) { return b.transpose(a); });
    run([](B& b, auto a, auto) { return b.transpose(a, {.permutation = {1, 0, 2}}); });
    run([](B& b, auto, auto c) { return b.expand(c, {5, 2, 3, 4}); });
    run([](B& b, auto a, auto) { return b.tile(a, {2, 1, 3}); });
    run([](B& b, auto a, auto) { return b.reverse(a); });
    run([](B& b, auto a, auto) { return b.reverse(a, {.axes = {1}}); });
    run([](B& b, auto a, auto c) { return b.concat({a, c, a}, 1); });
    run([](B& b, auto a, auto) { return b.split(a, 2, {.axis = 2}); });
    run([](B& b, auto a, auto) { return b.split(a, {1, 2}, {.axis = 1}); });
    run([](B& b, auto a, auto) { return b.triangular(a); });
    run([](B& b, auto a, auto) { return b.triangular(a, {.upper = false, .diagonal = 1}); });
    run([](B& b, auto a, auto) { return b.identity(a); });
  }
  // Scalars and many dimensions.
  check_exported(
      {[](B& b, Build::Operands x) { return b.reshape(x[0], {}); }, {r.tensor(float32, {1, 1})}});
  check_exported({[](B& b, Build::Operands x) {
                    return b.expand(x[0], {2, 2});
                  },
                  {r.tensor(float32, {})}});
  for (int i = 0; i < 20; ++i) {
    const Dims shape = r.shape(6, 3);
    Dims order{0, 1, 2, 3, 4, 5};
    const std::uint32_t from = r.integer(0, 4);
    std::rotate(order.begin() + from, order.begin() + r.integer(from, 5), order.end());
    check_exported(
        {[=](B& b, Build::Operands x) { return b.transpose(x[0], {.permutation = order}); },
         {r.tensor(float32, shape)}});
  }
}

TEST_CASE("exported: slice and pad") {
  Random r(2);
  for (const auto type : types_moved) {
    INFO(name_of(type));
    const Tensor x = r.tensor(type, {4, 5, 6}, 0, 100);
    const auto run = [&](auto f) {
      return check_exported({[=](B& b, Build::Operands o) { return f(b, o[0]); }, {x}});
    };
    run([](B& b, auto a) { return b.slice(a, {1, 0, 2}, {2, 5, 3}); });
    run([](B& b, auto a) { return b.slice(a, {1, 0, 2}, {2, 5, 4}, {.strides = {1, 2, 3}}); });
    run([](B& b, auto a) { return b.pad(a, {1, 0, 2}, {0, 3, 1}); });
    run([](B& b, auto a) { return b.pad(a, {1, 0, 2}, {0, 3, 1}, {.value = 7}); });
    run([](B& b, auto a) { return b.pad(a, {1, 0, 2}, {0, 3, 1}, {.mode = MLPaddingMode::edge}); });
    run([](B& b, auto a) {
      return b.pad(a, {1, 0, 2}, {0, 3, 1}, {.mode = MLPaddingMode::reflection});
    });
  }
  const Tensor deep = r.tensor(float32, {2, 3, 2, 3, 2, 3});
  const auto run = [&](auto f) {
    return check_exported({[=](B& b, Build::Operands o) { return f(b, o[0]); }, {deep}});
  };
  run([](B& b, auto a) { return b.slice(a, {0, 1, 0, 1, 0, 1}, {2, 2, 1, 2, 2, 1}); });
  run([](B& b, auto a) {
    return b.slice(a, {0, 0, 0, 0, 0, 0}, {2, 3, 2, 3, 2, 3}, {.strides = {1, 2, 1, 2, 1, 2}});
  });
  run([](B& b, auto a) {
    return b.pad(a, {0, 1, 0, 1, 0, 1}, {1, 0, 1, 0, 1, 0}, {.value = 2.5});
  });
  run([](B& b, auto a) { return b.tile(a, {1, 2, 1, 2, 1, 2}); });
}

TEST_CASE("exported: gather, gatherElements, gatherND") {
  Random r(3);
  for (const auto type : types_moved)
    for (const auto indices : {int32, uint32, int64})
      for (const bool constant : {true, false}) {
        INFO(name_of(type) << " by " << name_of(indices));
        const double low = indices == uint32 ? 0 : -6;  // from the end, and beyond both ends
        const Tensor x = r.tensor(type, {4, 3, 5}, 0, 100);
        const std::vector<std::size_t> constants =
            constant ? std::vector<std::size_t>{1} : std::vector<std::size_t>{};
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
          check_exported(
              {[=](B& b, Build::Operands o) { return b.gather(o[0], o[1], {.axis = axis}); },
               {x, r.tensor(indices, {2, 3}, low, 7)},
               {},
               constants});
          Dims shape{4, 3, 5};
          shape[axis] = 2;
          check_exported({[=](B& b, Build::Operands o) {
                            return b.gatherElements(o[0], o[1], {.axis = axis});
                          },
                          {x, r.tensor(indices, shape, low, 7)},
                          {},
                          constants});
        }
        for (std::uint32_t k = 1; k <= 3; ++k)
          check_exported({[](B& b, Build::Operands o) { return b.gatherND(o[0], o[1]); },
                          {x, r.tensor(indices, {2, 4, k}, low, 7)},
                          {},
                          constants});
      }
  check_exported({[](B& b, Build::Operands o) { return b.gather(o[0], o[1]); },
                  {r.tensor(float32, {4, 3}), tensor(int32, {}, {2})}});
  // Indices that cannot be wrong are not put right.
  CHECK(check_exported({[](B& b, Build::Operands o) { return b.gather(o[0], b.argMax(o[1], 1)); },
                        {r.tensor(float32, {6, 3}), r.tensor(float32, {4, 5})}}) ==
        "ARG_MAX GATHER");
}

TEST_CASE("exported: scatterElements, scatterND: the last update wins") {
  Random r(4);
  for (const auto type : types_moved)
    for (const auto indices : {int32, uint32, int64})
      for (const bool constant : {true, false}) {
        INFO(name_of(type) << " by " << name_of(indices));
        const double low = indices == uint32 ? 0 : -6;
        const Tensor x = r.tensor(type, {4, 3, 2}, 0, 100);
        const std::vector<std::size_t> constants =
            constant ? std::vector<std::size_t>{1} : std::vector<std::size_t>{};
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
          Dims shape{4, 3, 2};
          shape[axis] = 3;
          check_exported({[=](B& b, Build::Operands o) {
                            return b.scatterElements(o[0], o[1], o[2], {.axis = axis});
                          },
                          {x, r.tensor(indices, shape, low, 5), r.tensor(type, shape, 0, 100)},
                          {},
                          constants});
        }
        for (std::uint32_t k = 1; k <= 3; ++k) {
          Dims updates{7};
          for (std::uint32_t d = k; d < 3; ++d) updates.push_back(x.shape[d]);
          check_exported({[](B& b, Build::Operands o) { return b.scatterND(o[0], o[1], o[2]); },
                          {x, r.tensor(indices, {7, k}, low, 5), r.tensor(type, updates, 0, 100)},
                          {},
                          constants});
        }
      }
}
