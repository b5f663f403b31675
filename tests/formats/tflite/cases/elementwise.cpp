#include "tests/formats/tflite/cases.h"

namespace webnn::inline v0_1::tflite::test {
namespace {

using enum schema::Padding;
using Act = schema::ActivationFunctionType;
using Code = BuiltinOperator;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8, u8 = TensorType::UINT8,
               i16 = TensorType::INT16, i32 = TensorType::INT32, i64 = TensorType::INT64,
               boolean = TensorType::BOOL;

/// Operators whose cases are alike.
struct Row {
  const char* name;
  Code code;
};
using Rows = std::initializer_list<Row>;

void add_binary(Cases& all, std::string name, Code code, TensorType type, Shape x, Shape y,
                double low = -2, double high = 2) {
  all.push_back(make_case(
      std::move(name),
      [&](Writer& w) {
        return w.op(code, {w.input(type, x), w.input(type, y)}, {w.result(type)});
      },
      low, high));
}

template <class O>
void add_quantized(Cases& all, std::string name, Code code, TensorType type, Quant x, Quant y,
                   Quant z, O o) {
  all.push_back(make_case(std::move(name), [&](Writer& w) {
    return w.op(code, {w.input(type, {2, 3, 4}, x), w.input(type, {2, 3, 4}, y)},
                {w.result(type, z)}, o);
  }));
}

void add_unary(Cases& all, std::string name, Code code, double low = -2, double high = 2) {
  all.push_back(make_case(
      std::move(name),
      [&](Writer& w) {
        return w.op(code, {w.input(f32, {2, 3, 4})}, {w.result(f32)});
      },
      low, high));
}
void add_quantized_unary(Cases& all, std::string name, Code code, TensorType type, Quant x,
                         Quant y) {
  all.push_back(make_case(std::move(name), [&](Writer& w) {
    return w.op(code, {w.input(type, {2, 3, 4}, x)}, {w.result(type, y)});
  }));
}

}  // namespace

void add_pools(Cases& all) {
  const auto options = [](schema::Padding padding, int size, int stride, Act act = Act::NONE) {
    schema::Pool2DOptionsT o;
    o.padding = padding;
    o.filter_height = size;
    o.filter_width = size + 1;
    o.stride_h = o.stride_w = stride;
    o.fused_activation_function = act;
    return o;
  };
  for (const Row& row : Rows{{"average_pool", Code::AVERAGE_POOL_2D},
                             {"max_pool", Code::MAX_POOL_2D},
                             {"l2_pool", Code::L2_POOL_2D}}) {
    const auto add = [&](std::string suffix, TensorType type, Quant q, schema::Pool2DOptionsT o) {
      all.push_back(make_case(row.name + suffix, [&](Writer& w) {
        return w.op(row.code, {w.input(type, {1, 5, 6, 3}, q)}, {w.result(type, q)}, o);
      }));
    };
    add("_same", f32, {}, options(SAME, 2, 2));
    add("_valid_relu", f32, {}, options(VALID, 3, 1, Act::RELU));
    if (row.code == Code::L2_POOL_2D) continue;
    add("_int8", i8, {{0.1f}, {4}}, options(SAME, 2, 1));
    add("_int8_relu6", i8, {{0.1f}, {4}}, options(SAME, 2, 2, Act::RELU6));
    add("_uint8", u8, {{0.1f}, {100}}, options(VALID, 2, 2));
    add("_int16", i16, {{0.0003f}, {0}}, options(SAME, 2, 2));
  }
}

void add_elementwise(Cases& all) {
  for (const Row& row : Rows{{"add", Code::ADD},
                             {"sub", Code::SUB},
                             {"mul", Code::MUL},
                             {"maximum", Code::MAXIMUM},
                             {"minimum", Code::MINIMUM},
                             {"squared_difference", Code::SQUARED_DIFFERENCE}}) {
    add_binary(all, row.name, row.code, f32, {2, 3, 4}, {3, 1});
    add_binary(all, std::string(row.name) + "_int32", row.code, i32, {2, 3}, {2, 3}, -50, 50);
  }
  add_binary(all, "div", Code::DIV, f32, {2, 3, 4}, {3, 1});
  add_binary(all, "pow", Code::POW, f32, {2, 3, 4}, {3, 1}, 0.1, 2);
  add_binary(all, "floor_div", Code::FLOOR_DIV, f32, {2, 3, 4}, {2, 3, 4}, -9, 9);
  add_binary(all, "floor_mod", Code::FLOOR_MOD, f32, {2, 3, 4}, {2, 3, 4}, -9, 9);
  for (const auto type : {i32, i64}) {
    const std::string suffix = type == i32 ? "_int32" : "_int64";
    const auto divided = [&](std::string name, Code code) {
      all.push_back(make_case(
          name + suffix,
          [&](Writer& w) {
            const std::vector<std::int64_t> wide{3, -3, 7, -7, 5, -5};
            const std::vector<std::int32_t> narrow{3, -3, 7, -7, 5, -5};
            const int y = type == i64 ? w.constant(i64, {6}, wide) : w.constant(i32, {6}, narrow);
            return w.op(code, {w.input(type, {4, 6}), y}, {w.result(type)});
          },
          -50, 50));
    };
    divided("floor_mod", Code::FLOOR_MOD);
    if (type == i32) divided("floor_div", Code::FLOOR_DIV);
  }
  schema::AddOptionsT relu;
  relu.fused_activation_function = Act::RELU;
  const Quant a{{0.02f}, {3}}, b{{0.05f}, {-7}}, c{{0.04f}, {5}};
  const Quant ua{{0.02f}, {130}}, ub{{0.05f}, {90}}, uc{{0.04f}, {128}};
  const Quant wa{{0.0002f}, {0}}, wb{{0.0005f}, {0}}, wc{{0.0004f}, {0}};
  add_quantized(all, "add_int8_relu", Code::ADD, i8, a, b, c, relu);
  add_quantized(all, "add_uint8", Code::ADD, u8, ua, ub, uc, schema::AddOptionsT());
  schema::AddOptionsT plain16;
  plain16.pot_scale_int16 = false;
  add_quantized(all, "add_int16", Code::ADD, i16, wa, wb, wc, plain16);
  add_quantized(all, "sub_int8", Code::SUB, i8, a, b, c, schema::SubOptionsT());
  add_quantized(all, "sub_uint8", Code::SUB, u8, ua, ub, uc, schema::SubOptionsT());
  add_quantized(all, "mul_int8", Code::MUL, i8, a, b, c, schema::MulOptionsT());
  add_quantized(all, "mul_uint8", Code::MUL, u8, ua, ub, uc, schema::MulOptionsT());
  add_quantized(all, "mul_int16", Code::MUL, i16, wa, wb, {{0.002f}, {0}}, schema::MulOptionsT());
  add_quantized(all, "maximum_int8", Code::MAXIMUM, i8, a, a, a, schema::MaximumMinimumOptionsT());
  add_quantized(all, "minimum_uint8", Code::MINIMUM, u8, ua, ua, ua,
                schema::MaximumMinimumOptionsT());
  add_quantized(all, "squared_difference_int8", Code::SQUARED_DIFFERENCE, i8, a, b,
                {{0.4f}, {-100}}, schema::SquaredDifferenceOptionsT());
  all.push_back(make_case("add_n", [](Writer& w) {
    return w.op(Code::ADD_N, {w.input(f32, {2, 3}), w.input(f32, {2, 3}), w.input(f32, {2, 3})},
                {w.result(f32)}, schema::AddNOptionsT());
  }));
}

void add_activations(Cases& all) {
  for (const Row& row : Rows{{"abs", Code::ABS},
                             {"ceil", Code::CEIL},
                             {"cos", Code::COS},
                             {"exp", Code::EXP},
                             {"floor", Code::FLOOR},
                             {"neg", Code::NEG},
                             {"round", Code::ROUND},
                             {"sign", Code::SIGN},
                             {"sin", Code::SIN},
                             {"square", Code::SQUARE},
                             {"elu", Code::ELU},
                             {"hard_swish", Code::HARD_SWISH},
                             {"relu", Code::RELU},
                             {"relu6", Code::RELU6},
                             {"relu_n1_to_1", Code::RELU_N1_TO_1},
                             {"relu_0_to_1", Code::RELU_0_TO_1},
                             {"logistic", Code::LOGISTIC},
                             {"tanh", Code::TANH},
                             {"log_softmax", Code::LOG_SOFTMAX}})
    add_unary(all, row.name, row.code, -8, 8);
  add_unary(all, "log", Code::LOG, 0.1, 4);
  add_unary(all, "sqrt", Code::SQRT, 0.1, 4);
  add_unary(all, "rsqrt", Code::RSQRT, 0.1, 4);
  for (const float beta : {1.0f, 0.5f})
    all.push_back(make_case(beta == 1 ? "softmax" : "softmax_beta", [&](Writer& w) {
      schema::SoftmaxOptionsT o;
      o.beta = beta;
      return w.op(Code::SOFTMAX, {w.input(f32, {2, 3, 4})}, {w.result(f32)}, o);
    }));
  for (const bool approximate : {false, true})
    all.push_back(make_case(approximate ? "gelu_approximate" : "gelu", [&](Writer& w) {
      schema::GeluOptionsT o;
      o.approximate = approximate;
      return w.op(Code::GELU, {w.input(f32, {2, 3, 4})}, {w.result(f32)}, o);
    }));
  schema::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  all.push_back(make_case("softmax_int8", [&](Writer& w) {
    return w.op(Code::SOFTMAX, {w.input(i8, {2, 3, 4}, {{0.02f}, {3}})},
                {w.result(i8, {{1.0f / 256}, {-128}})}, softmax);
  }));
  all.push_back(make_case("softmax_uint8", [&](Writer& w) {
    return w.op(Code::SOFTMAX, {w.input(u8, {2, 3, 4}, {{0.02f}, {120}})},
                {w.result(u8, {{1.0f / 256}, {0}})}, softmax);
  }));
  schema::LeakyReluOptionsT leaky;
  leaky.alpha = 0.3f;
  all.push_back(make_case("leaky_relu", [&](Writer& w) {
    return w.op(Code::LEAKY_RELU, {w.input(f32, {2, 3, 4})}, {w.result(f32)}, leaky);
  }));
  all.push_back(make_case("leaky_relu_int8", [&](Writer& w) {
    return w.op(Code::LEAKY_RELU, {w.input(i8, {2, 3, 4}, {{0.02f}, {3}})},
                {w.result(i8, {{0.03f}, {-5}})}, leaky);
  }));
  all.push_back(make_case("prelu", [](Writer& w) {
    return w.op(Code::PRELU, {w.input(f32, {2, 3, 2, 4}), w.weights(f32, {1, 1, 4})},
                {w.result(f32)});
  }));
  all.push_back(make_case("prelu_int8", [](Writer& w) {
    return w.op(
        Code::PRELU,
        {w.input(i8, {1, 3, 2, 4}, {{0.02f}, {3}}), w.weights(i8, {1, 1, 4}, {{0.01f}, {0}})},
        {w.result(i8, {{0.03f}, {-5}})});
  }));
  const Quant x{{0.05f}, {3}}, ux{{0.05f}, {120}};
  add_quantized_unary(all, "relu_int8", Code::RELU, i8, x, {{0.03f}, {-128}});
  add_quantized_unary(all, "relu6_uint8", Code::RELU6, u8, ux, {{6.0f / 255}, {0}});
  add_quantized_unary(all, "logistic_int8", Code::LOGISTIC, i8, x, {{1.0f / 256}, {-128}});
  add_quantized_unary(all, "logistic_uint8", Code::LOGISTIC, u8, ux, {{1.0f / 256}, {0}});
  add_quantized_unary(all, "tanh_int8", Code::TANH, i8, x, {{1.0f / 128}, {0}});
  add_quantized_unary(all, "hard_swish_int8", Code::HARD_SWISH, i8, x, {{0.04f}, {-118}});
  add_quantized_unary(all, "elu_int8", Code::ELU, i8, x, {{0.03f}, {-90}});
  add_quantized_unary(all, "abs_int8", Code::ABS, i8, x, {{0.05f}, {-128}});
  add_quantized_unary(all, "log_softmax_int8", Code::LOG_SOFTMAX, i8, x, {{16.0f / 256}, {127}});
  all.push_back(make_case("l2_normalization", [](Writer& w) {
    return w.op(Code::L2_NORMALIZATION, {w.input(f32, {2, 3, 4})}, {w.result(f32)},
                schema::L2NormOptionsT());
  }));
  all.push_back(make_case("l2_normalization_int8", [](Writer& w) {
    return w.op(Code::L2_NORMALIZATION, {w.input(i8, {2, 3, 4}, {{0.05f}, {3}})},
                {w.result(i8, {{1.0f / 128}, {0}})}, schema::L2NormOptionsT());
  }));
  all.push_back(make_case("local_response_normalization", [](Writer& w) {
    schema::LocalResponseNormalizationOptionsT o;
    o.radius = 2;
    o.bias = 1.5f;
    o.alpha = 0.3f;
    o.beta = 0.6f;
    return w.op(Code::LOCAL_RESPONSE_NORMALIZATION, {w.input(f32, {1, 2, 3, 7})}, {w.result(f32)},
                o);
  }));
  add_quantized_unary(all, "quantize_requantizes", Code::QUANTIZE, i8, x, {{0.04f}, {-10}});
  all.push_back(make_case("quantize", [&](Writer& w) {
    return w.op(Code::QUANTIZE, {w.input(f32, {2, 3, 4})}, {w.result(i8, {{0.01f}, {5}})});
  }));
  all.push_back(make_case("dequantize", [&](Writer& w) {
    return w.op(Code::DEQUANTIZE, {w.input(u8, {2, 3, 4}, ux)}, {w.result(f32)});
  }));
  all.push_back(make_case("dequantize_int16", [&](Writer& w) {
    return w.op(Code::DEQUANTIZE, {w.input(i16, {2, 3, 4}, {{0.01f}})}, {w.result(f32)});
  }));
  all.push_back(make_case("dequantize_float16", [&](Writer& w) {
    const int half =
        w.constant(TensorType::FLOAT16, {3}, std::vector<std::uint16_t>{0x3c00, 0xc500, 0x2e66});
    const int wide = w.op(Code::DEQUANTIZE, {half}, {w.result(f32, {}, {3})});
    return w.op(Code::ADD, {w.input(f32, {2, 3}), wide}, {w.result(f32)}, schema::AddOptionsT());
  }));
  for (const bool narrow : {false, true})
    all.push_back(make_case(narrow ? "fake_quant_narrow" : "fake_quant", [&](Writer& w) {
      schema::FakeQuantOptionsT o;
      o.min = -1.3f;
      o.max = 1.1f;
      o.num_bits = 4;
      o.narrow_range = narrow;
      return w.op(Code::FAKE_QUANT, {w.input(f32, {2, 3, 4})}, {w.result(f32)}, o);
    }));
}

void add_comparisons(Cases& all) {
  for (const Row& row : Rows{{"equal", Code::EQUAL},
                             {"not_equal", Code::NOT_EQUAL},
                             {"less", Code::LESS},
                             {"less_equal", Code::LESS_EQUAL},
                             {"greater", Code::GREATER},
                             {"greater_equal", Code::GREATER_EQUAL}}) {
    const auto add = [&](std::string suffix, TensorType type, Quant x, Quant y, Shape shape) {
      all.push_back(make_case(row.name + suffix, [&](Writer& w) {
        return w.op(row.code, {w.input(type, {4, 6}, x), w.input(type, shape, y)},
                    {w.result(boolean)});
      }));
    };
    add("", f32, {}, {}, {4, 6});
    add("_int32", i32, {}, {}, {1, 6});
    add("_int8", i8, {{0.02f}, {3}}, {{0.03f}, {-5}}, {4, 6});
  }
  for (const Row& row : Rows{{"logical_and", Code::LOGICAL_AND}, {"logical_or", Code::LOGICAL_OR}})
    add_binary(all, row.name, row.code, boolean, {4, 3}, {4, 3});
  all.push_back(make_case("logical_not", [](Writer& w) {
    return w.op(Code::LOGICAL_NOT, {w.input(boolean, {4, 3})}, {w.result(boolean)});
  }));
  const auto select = [&](std::string name, Code code, Shape condition, Shape x, Shape y,
                          TensorType type, Quant q = {}) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      return w.op(code, {w.input(boolean, condition), w.input(type, x, q), w.input(type, y, q)},
                  {w.result(type, q)});
    }));
  };
  select("select", Code::SELECT, {3, 4}, {3, 4}, {3, 4}, f32);
  select("select_rows", Code::SELECT, {3}, {3, 4}, {3, 4}, f32);
  select("select_v2", Code::SELECT_V2, {3, 1}, {1, 4}, {2, 1, 1}, f32);
  select("select_int8", Code::SELECT_V2, {3, 4}, {3, 4}, {3, 4}, i8, {{0.1f}, {3}});
  const auto cast = [&](std::string name, TensorType from, TensorType to) {
    all.push_back(make_case(
        std::move(name),
        [&](Writer& w) {
          schema::CastOptionsT o;
          o.in_data_type = from;
          o.out_data_type = to;
          return w.op(Code::CAST, {w.input(from, {3, 4})}, {w.result(to)}, o);
        },
        -4, 4));
  };
  cast("cast_to_int", f32, i32);
  cast("cast_to_float", i64, f32);
  cast("cast_to_bool", i32, boolean);
  cast("cast_from_bool", boolean, f32);
}

void add_reductions(Cases& all) {
  for (const Row& row : Rows{{"sum", Code::SUM},
                             {"mean", Code::MEAN},
                             {"reduce_prod", Code::REDUCE_PROD},
                             {"reduce_max", Code::REDUCE_MAX},
                             {"reduce_min", Code::REDUCE_MIN}}) {
    const auto add = [&](std::string suffix, TensorType type, Quant x, Quant y,
                         std::vector<std::int32_t> axes, bool keep) {
      all.push_back(make_case(
          row.name + suffix,
          [&](Writer& w) {
            schema::ReducerOptionsT o;
            o.keep_dims = keep;
            return w.op(row.code, {w.input(type, {2, 3, 2, 4}, x), w.ints(axes)},
                        {w.result(type, y)}, o);
          },
          type == i32 ? -20 : -2, type == i32 ? 20 : 2));
    };
    add("", f32, {}, {}, {1, 2}, false);
    add("_keeps", f32, {}, {}, {-1, 0, 0}, true);
    add("_all", f32, {}, {}, {0, 1, 2, 3}, false);
    add("_int32", i32, {}, {}, {1}, false);
    const Quant q{{0.02f}, {3}};
    if (row.code == Code::SUM) add("_int8", i8, q, {{0.05f}, {-4}}, {1, 2}, true);
    else if (row.code != Code::REDUCE_PROD) add("_int8", i8, q, q, {1, 2}, true);
    if (row.code == Code::MEAN)
      add("_requantized", u8, {{0.02f}, {90}}, {{0.01f}, {100}}, {1, 2}, true);
  }
  for (const Row& row : Rows{{"reduce_any", Code::REDUCE_ANY}, {"reduce_all", Code::REDUCE_ALL}})
    all.push_back(make_case(row.name, [&](Writer& w) {
      return w.op(row.code, {w.input(boolean, {4, 2}), w.ints({1})}, {w.result(boolean)},
                  schema::ReducerOptionsT());
    }));
  for (const auto type : {i32, i64}) {
    const std::string suffix = type == i32 ? "" : "_int64";
    all.push_back(make_case("arg_max" + suffix, [&](Writer& w) {
      schema::ArgMaxOptionsT o;
      o.output_type = type;
      return w.op(Code::ARG_MAX, {w.input(f32, {2, 3, 4}), w.integer(-1)}, {w.result(type)}, o);
    }));
    all.push_back(make_case("arg_min" + suffix, [&](Writer& w) {
      schema::ArgMinOptionsT o;
      o.output_type = type;
      return w.op(Code::ARG_MIN, {w.input(u8, {2, 3, 4}, {{0.1f}, {4}}), w.integer(1)},
                  {w.result(type)}, o);
    }));
  }
  for (int k = 0; k < 4; ++k)
    all.push_back(make_case("cumsum_" + std::to_string(k), [&](Writer& w) {
      schema::CumsumOptionsT o;
      o.exclusive = (k & 1) != 0;
      o.reverse = (k & 2) != 0;
      return w.op(Code::CUMSUM, {w.input(f32, {2, 3, 4}), w.integer(1)}, {w.result(f32)}, o);
    }));
  const auto top_k = [&](std::string name, TensorType type, Shape shape, int k) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      const int values = w.empty(type), indices = w.empty(i32);
      w.op(Code::TOPK_V2, {w.input(type, shape), w.integer(k)}, {values, indices},
           schema::TopKV2OptionsT());
      w.output(values);
      return indices;
    }));
  };
  top_k("topk_1", f32, {2, 5}, 1);
  top_k("topk_4", f32, {2, 3, 9}, 4);
  top_k("topk_all_equal_ones", i32, {2, 12}, 12);  // there are 5 values, so that some are equal
}

}  // namespace webnn::inline v0_1::tflite::test
