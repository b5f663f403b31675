#include "tests/formats/tflite/cases.h"

namespace webnn::inline v0_1::tflite::test {
namespace {

using Code = BuiltinOperator;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8, u8 = TensorType::UINT8,
               i32 = TensorType::INT32, i64 = TensorType::INT64, boolean = TensorType::BOOL;
const Quant q{{0.05f}, {-3}};

schema::ShapeOptionsT shape_as_int32() {
  schema::ShapeOptionsT o;
  o.out_type = i32;
  return o;
}

}  // namespace

void add_shapes(Cases& all) {
  const auto moved = [&](std::string name, Code code, Shape x, std::vector<std::int32_t> argument,
                         TensorType type = f32) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      const Quant scales = type == i8 ? q : Quant{};
      return w.op(code, {w.input(type, x, scales), w.ints(argument)}, {w.result(type, scales)});
    }));
  };
  moved("reshape", Code::RESHAPE, {2, 3, 4}, {4, -1});
  moved("reshape_int8", Code::RESHAPE, {2, 3, 4}, {24}, i8);
  moved("reshape_to_scalar", Code::RESHAPE, {1, 1}, {});
  moved("transpose", Code::TRANSPOSE, {2, 3, 4}, {2, 0, 1});
  moved("transpose_int8", Code::TRANSPOSE, {2, 3, 4}, {1, 2, 0}, i8);
  moved("tile", Code::TILE, {2, 3}, {2, 3});
  all.push_back(make_case("broadcast_to", [](Writer& w) {
    const int y =
        w.op(Code::BROADCAST_TO, {w.input(f32, {3, 1}), w.ints({2, 3, 4})}, {w.result(f32)});
    w.model.operator_codes.back()->version = 2;
    return y;
  }));
  moved("reverse", Code::REVERSE_V2, {2, 3, 4}, {1});
  all.push_back(make_case("reshape_by_options", [](Writer& w) {
    schema::ReshapeOptionsT o;
    o.new_shape = {6, -1};
    return w.op(Code::RESHAPE, {w.input(f32, {2, 3, 4})}, {w.result(f32)}, o);
  }));
  all.push_back(make_case("reshape_by_computed_shape", [](Writer& w) {
    const int x = w.input(f32, {2, 3, 4});
    const int shape = w.op(Code::SHAPE, {x}, {w.result(i32)}, shape_as_int32());
    schema::StridedSliceOptionsT first;
    first.shrink_axis_mask = 1;
    const int batch = w.op(Code::STRIDED_SLICE, {shape, w.ints({0}), w.ints({1}), w.ints({1})},
                           {w.result(i32)}, first);
    const int rest = w.op(Code::STRIDED_SLICE, {shape, w.ints({1}), w.ints({3}), w.ints({1})},
                          {w.result(i32)}, schema::StridedSliceOptionsT());
    const int size =
        w.op(Code::REDUCE_PROD, {rest, w.ints({0})}, {w.result(i32)}, schema::ReducerOptionsT());
    schema::PackOptionsT pack;
    pack.values_count = 2;
    const int packed = w.op(Code::PACK, {batch, size}, {w.result(i32)}, pack);
    return w.op(Code::RESHAPE, {x, packed}, {w.result(f32)});
  }));
  all.push_back(make_case("expand_dims", [](Writer& w) {
    return w.op(Code::EXPAND_DIMS, {w.input(f32, {2, 3}), w.integer(-1)}, {w.result(f32)});
  }));
  for (const bool some : {false, true})
    all.push_back(make_case(some ? "squeeze_some" : "squeeze", [&](Writer& w) {
      schema::SqueezeOptionsT o;
      if (some) o.squeeze_dims = {-1};
      return w.op(Code::SQUEEZE, {w.input(f32, {1, 3, 1, 2, 1})}, {w.result(f32)}, o);
    }));
  schema::ConcatenationOptionsT concat;
  concat.axis = -2;
  all.push_back(make_case("concatenation", [&](Writer& w) {
    return w.op(Code::CONCATENATION, {w.input(f32, {2, 3, 4}), w.input(f32, {2, 1, 4})},
                {w.result(f32)}, concat);
  }));
  all.push_back(make_case("concatenation_int8", [&](Writer& w) {
    return w.op(Code::CONCATENATION, {w.input(i8, {2, 3, 4}, q), w.input(i8, {2, 1, 4}, q)},
                {w.result(i8, q)}, concat);
  }));
  all.push_back(make_case("concatenation_requantizes", [&](Writer& w) {
    return w.op(
        Code::CONCATENATION,
        {w.input(u8, {2, 3, 4}, {{0.05f}, {100}}), w.input(u8, {2, 1, 4}, {{0.02f}, {130}})},
        {w.result(u8, {{0.06f}, {110}})}, concat);
  }));
  all.push_back(make_case("pack", [](Writer& w) {
    schema::PackOptionsT o;
    o.values_count = 2;
    o.axis = -1;
    return w.op(Code::PACK, {w.input(f32, {2, 3}), w.input(f32, {2, 3})}, {w.result(f32)}, o);
  }));
  const auto parts = [&](std::string name, std::size_t count, auto f) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      std::vector<Out> outputs;
      const int x = w.input(f32, {2, 6, 3});
      for (std::size_t i = 0; i < count; ++i) outputs.push_back(w.empty(f32));
      f(w, x, outputs);
      for (const Out& y : outputs) w.output(y.index);
      return -1;
    }));
  };
  parts("unpack", 3, [](Writer& w, int x, const std::vector<Out>& y) {
    schema::UnpackOptionsT o;
    o.num = 3;
    o.axis = 2;
    w.op(Code::UNPACK, {x}, y, o);
  });
  parts("split", 3, [](Writer& w, int x, const std::vector<Out>& y) {
    schema::SplitOptionsT o;
    o.num_splits = 3;
    w.op(Code::SPLIT, {w.integer(-2), x}, y, o);
  });
  parts("split_v", 3, [](Writer& w, int x, const std::vector<Out>& y) {
    schema::SplitVOptionsT o;
    o.num_splits = 3;
    w.op(Code::SPLIT_V, {x, w.ints({1, -1, 2}), w.integer(1)}, y, o);
  });
}

void add_slices(Cases& all) {
  all.push_back(make_case("slice", [](Writer& w) {
    return w.op(Code::SLICE, {w.input(f32, {3, 4, 5}), w.ints({1, 0, 2}), w.ints({2, -1, 2})},
                {w.result(f32)});
  }));
  const auto strided = [&](std::string name, std::vector<std::int32_t> begin,
                           std::vector<std::int32_t> end, std::vector<std::int32_t> strides,
                           std::function<void(schema::StridedSliceOptionsT&)> mask = {}) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      schema::StridedSliceOptionsT o;
      if (mask) mask(o);
      return w.op(Code::STRIDED_SLICE,
                  {w.input(f32, {3, 4, 5}), w.ints(begin), w.ints(end), w.ints(strides)},
                  {w.result(f32)}, o);
    }));
  };
  strided("strided_slice", {0, 1, 0}, {3, 4, 5}, {2, 1, 2});
  strided("strided_slice_negative", {-1, 3, 4}, {-4, 0, -9}, {-1, -2, -3});
  strided("strided_slice_masks", {9, 1, 2}, {0, 9, 9}, {1, 1, 2}, [](auto& o) {
    o.begin_mask = 1;
    o.end_mask = 5;
  });
  strided("strided_slice_shrinks", {1, 0, -1}, {2, 4, 0}, {1, 1, 1},
          [](auto& o) { o.shrink_axis_mask = 5; });
  strided("strided_slice_fewer", {1}, {3}, {1});
  strided("strided_slice_ellipsis", {0, 1}, {0, 3}, {1, 1}, [](auto& o) { o.ellipsis_mask = 1; });
  strided("strided_slice_new_axis", {0, 0, 1}, {2, 0, 3}, {1, 1, 1},
          [](auto& o) { o.new_axis_mask = 2; });
  strided("strided_slice_all", {1, 0, 0, 1}, {2, 0, 0, 4}, {1, 1, 1, 2}, [](auto& o) {
    o.shrink_axis_mask = 1;
    o.new_axis_mask = 2;
    o.ellipsis_mask = 4;
  });
  const auto pad = [&](std::string name, Code code, TensorType type, std::vector<std::int32_t> p,
                       bool value) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      const Quant scales = type == i8 ? q : Quant{};
      std::vector<int> in{w.input(type, {1, 2, 3, 2}, scales), w.constant(i32, {4, 2}, p)};
      if (value)
        in.push_back(type == i8 ? w.constant(i8, {1}, std::vector<std::int8_t>{9}, scales)
                                : w.floats({1}, {9}));
      return w.op(code, in, {w.result(type, scales)});
    }));
  };
  pad("pad", Code::PAD, f32, {0, 0, 1, 2, 2, 1, 0, 1}, false);
  pad("pad_int8", Code::PAD, i8, {0, 0, 1, 2, 2, 1, 0, 0}, false);
  pad("pad_v2", Code::PADV2, f32, {0, 0, 1, 2, 2, 1, 0, 0}, true);
  pad("pad_v2_int8", Code::PADV2, i8, {0, 0, 1, 2, 2, 1, 0, 0}, true);
  for (const auto mode : {schema::MirrorPadMode::REFLECT, schema::MirrorPadMode::SYMMETRIC})
    all.push_back(make_case(
        mode == schema::MirrorPadMode::REFLECT ? "mirror_pad_reflect" : "mirror_pad_symmetric",
        [&](Writer& w) {
          schema::MirrorPadOptionsT o;
          o.mode = mode;
          const int p = w.constant(i32, {2, 2}, std::vector<std::int32_t>{1, 2, 2, 1});
          return w.op(Code::MIRROR_PAD, {w.input(f32, {3, 4}), p}, {w.result(f32)}, o);
        }));
}

void add_gathers(Cases& all) {
  const auto gather = [&](std::string name, Shape x, Shape of_indices, int axis, int batches,
                          TensorType type = f32) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      schema::GatherOptionsT o;
      o.axis = axis;
      o.batch_dims = batches;
      const Quant scales = type == i8 ? q : Quant{};
      std::vector<std::int32_t> indices;
      for (std::size_t i = 0; i < count_of(of_indices); ++i)
        indices.push_back(static_cast<std::int32_t>(i * 5 % 3));
      return w.op(Code::GATHER, {w.input(type, x, scales), w.constant(i32, of_indices, indices)},
                  {w.result(type, scales)}, o);
    }));
  };
  gather("gather", {3, 4}, {2}, 0, 0);
  gather("gather_axis", {2, 3, 4}, {2, 2}, 1, 0, i8);
  gather("gather_last", {2, 3, 4}, {5}, -1, 0);
  gather("gather_batch", {2, 3, 4}, {2, 2}, 1, 1);
  gather("gather_batch_outer", {2, 2, 3, 4}, {2, 2}, 2, 1);
  gather("gather_two_batches", {2, 2, 3}, {2, 2, 2}, 2, 2);
  all.push_back(make_case("gather_nd", [](Writer& w) {
    const int indices = w.constant(i32, {2, 2}, std::vector<std::int32_t>{1, 2, 0, 1});
    return w.op(Code::GATHER_ND, {w.input(f32, {2, 3, 4}), indices}, {w.result(f32)});
  }));
  all.push_back(make_case("scatter_nd", [](Writer& w) {
    const int indices = w.constant(i32, {2, 1}, std::vector<std::int32_t>{3, 1});
    return w.op(Code::SCATTER_ND, {indices, w.input(f32, {2, 3}), w.ints({4, 3})}, {w.result(f32)});
  }));
  all.push_back(make_case("embedding_lookup", [](Writer& w) {
    return w.op(Code::EMBEDDING_LOOKUP, {w.ints({2, 0, 2}), w.input(f32, {3, 4})}, {w.result(f32)});
  }));
  for (const int axis : {-1, 0})
    all.push_back(make_case(axis == 0 ? "one_hot_first" : "one_hot", [&](Writer& w) {
      schema::OneHotOptionsT o;
      o.axis = axis;
      const int indices = w.constant(i32, {2, 3}, std::vector<std::int32_t>{0, 3, -1, 2, 7, 1});
      return w.op(Code::ONE_HOT, {indices, w.integer(4), w.floats({}, {5}), w.floats({}, {-1})},
                  {w.result(f32)}, o);
    }));
}

void add_images(Cases& all) {
  for (const auto type : {f32, i8}) {
    const std::string suffix = type == i8 ? "_int8" : "";
    const Quant scales = type == i8 ? q : Quant{};
    all.push_back(make_case("depth_to_space" + suffix, [&](Writer& w) {
      schema::DepthToSpaceOptionsT o;
      o.block_size = 2;
      return w.op(Code::DEPTH_TO_SPACE, {w.input(type, {2, 2, 3, 8}, scales)},
                  {w.result(type, scales)}, o);
    }));
    all.push_back(make_case("space_to_depth" + suffix, [&](Writer& w) {
      schema::SpaceToDepthOptionsT o;
      o.block_size = 2;
      return w.op(Code::SPACE_TO_DEPTH, {w.input(type, {2, 4, 6, 2}, scales)},
                  {w.result(type, scales)}, o);
    }));
    all.push_back(make_case("space_to_batch" + suffix, [&](Writer& w) {
      const int p = w.constant(i32, {2, 2}, std::vector<std::int32_t>{1, 0, 2, 1});
      return w.op(Code::SPACE_TO_BATCH_ND, {w.input(type, {1, 3, 3, 2}, scales), w.ints({2, 3}), p},
                  {w.result(type, scales)});
    }));
    all.push_back(make_case("batch_to_space" + suffix, [&](Writer& w) {
      const int crops = w.constant(i32, {2, 2}, std::vector<std::int32_t>{1, 0, 2, 1});
      return w.op(Code::BATCH_TO_SPACE_ND,
                  {w.input(type, {6, 2, 2, 2}, scales), w.ints({2, 3}), crops},
                  {w.result(type, scales)});
    }));
    for (int centers = 0; centers < 3; ++centers) {
      const char* names[] = {"_plain", "_aligned", "_half"};
      for (const auto& [size, h, width] :
           {std::tuple("_up", 7, 8), {"_down", 3, 2}, {"_double", 8, 10}}) {
        all.push_back(make_case("resize_bilinear" + std::string(names[centers]) + size + suffix,
                                [&, h = h, width = width](Writer& w) {
                                  schema::ResizeBilinearOptionsT o;
                                  o.align_corners = centers == 1;
                                  o.half_pixel_centers = centers == 2;
                                  return w.op(
                                      Code::RESIZE_BILINEAR,
                                      {w.input(type, {1, 4, 5, 2}, scales), w.ints({h, width})},
                                      {w.result(type, scales)}, o);
                                }));
        all.push_back(make_case("resize_nearest" + std::string(names[centers]) + size + suffix,
                                [&, h = h, width = width](Writer& w) {
                                  schema::ResizeNearestNeighborOptionsT o;
                                  o.align_corners = centers == 1;
                                  o.half_pixel_centers = centers == 2;
                                  return w.op(
                                      Code::RESIZE_NEAREST_NEIGHBOR,
                                      {w.input(type, {1, 4, 5, 2}, scales), w.ints({h, width})},
                                      {w.result(type, scales)}, o);
                                }));
      }
    }
  }
}

void add_generators(Cases& all) {
  all.push_back(make_case("shape", [](Writer& w) {
    return w.op(Code::SHAPE, {w.input(f32, {2, 3, 4})}, {w.result(i32)}, shape_as_int32());
  }));
  all.push_back(make_case("rank", [](Writer& w) {
    return w.op(Code::RANK, {w.input(f32, {2, 3, 4})}, {w.result(i32)}, schema::RankOptionsT());
  }));
  all.push_back(make_case("fill", [](Writer& w) {
    return w.op(Code::FILL, {w.ints({2, 3}), w.input(f32, {})}, {w.result(f32)});
  }));
  all.push_back(make_case("zeros_like", [](Writer& w) {
    return w.op(Code::ZEROS_LIKE, {w.input(f32, {2, 3})}, {w.result(f32)});
  }));
  all.push_back(make_case("range", [](Writer& w) {
    return w.op(Code::RANGE, {w.integer(7), w.integer(-4), w.integer(-3)}, {w.result(i32)});
  }));
  all.push_back(make_case("range_float", [](Writer& w) {
    return w.op(Code::RANGE, {w.floats({}, {0.5f}), w.floats({}, {3}), w.floats({}, {0.75f})},
                {w.result(f32)});
  }));
  all.push_back(make_case("matrix_diag", [](Writer& w) {
    return w.op(Code::MATRIX_DIAG, {w.input(f32, {2, 3})}, {w.result(f32)},
                schema::MatrixDiagOptionsT());
  }));
  for (const int columns : {3, 5})
    all.push_back(make_case("matrix_set_diag_" + std::to_string(columns), [&](Writer& w) {
      return w.op(Code::MATRIX_SET_DIAG, {w.input(f32, {2, 3, columns}), w.input(f32, {2, 3})},
                  {w.result(f32)}, schema::MatrixSetDiagOptionsT());
    }));
  all.push_back(make_case("densify", [](Writer& w) {
    // A 4 by 3 matrix: rows are dense, columns compressed.
    const int c = w.floats({4, 3}, {1, 2, 3, 4, 5});
    auto s = std::make_unique<schema::SparsityParametersT>();
    s->traversal_order = {0, 1};
    auto rows = std::make_unique<schema::DimensionMetadataT>();
    rows->format = schema::DimensionType::DENSE;
    rows->dense_size = 4;
    auto columns = std::make_unique<schema::DimensionMetadataT>();
    columns->format = schema::DimensionType::SPARSE_CSR;
    schema::Uint8VectorT segments, indices;
    segments.values = {0, 2, 2, 3, 5};
    indices.values = {0, 2, 1, 0, 1};
    columns->array_segments.Set(std::move(segments));
    columns->array_indices.Set(std::move(indices));
    s->dim_metadata.push_back(std::move(rows));
    s->dim_metadata.push_back(std::move(columns));
    w.tensor(c).sparsity = std::move(s);
    const int dense =
        w.op(Code::DENSIFY, {c}, {w.result(f32, {}, {4, 3})}, schema::DensifyOptionsT());
    return w.op(Code::ADD, {w.input(f32, {4, 3}), dense}, {w.result(f32)}, schema::AddOptionsT());
  }));
}

void add_recurrents(Cases& all) {
  const int batch = 2, steps = 3, inputs = 4, hidden = 3;
  const auto lstm = [&](std::string name, bool time_major, bool cifg, bool peephole,
                        int projected = 0, float clip = 0) {
    all.push_back(make_case(std::move(name), [&](Writer& w) {
      std::vector<int> in{
          w.input(f32, time_major ? Shape{steps, batch, inputs} : Shape{batch, steps, inputs})};
      for (unsigned g = 0; g < 4; ++g)
        in.push_back(g == 0 && cifg ? -1 : w.weights(f32, {hidden, inputs}, {}, 10 + g));
      for (unsigned g = 0; g < 4; ++g)
        in.push_back(g == 0 && cifg
                         ? -1
                         : w.weights(f32, {hidden, projected ? projected : hidden}, {}, 20 + g));
      for (unsigned g = 0; g < 3; ++g)
        in.push_back(!peephole || (g == 0 && cifg) ? -1 : w.weights(f32, {hidden}, {}, 30 + g));
      for (unsigned g = 0; g < 4; ++g)
        in.push_back(g == 0 && cifg ? -1 : w.weights(f32, {hidden}, {}, 40 + g));
      in.push_back(projected ? w.weights(f32, {projected, hidden}, {}, 50) : -1);
      in.push_back(projected ? w.weights(f32, {projected}, {}, 51) : -1);
      in.push_back(w.variable(f32, {batch, projected ? projected : hidden}));
      in.push_back(w.variable(f32, {batch, hidden}));
      schema::UnidirectionalSequenceLSTMOptionsT o;
      o.fused_activation_function = schema::ActivationFunctionType::TANH;
      o.time_major = time_major;
      o.cell_clip = o.proj_clip = clip;
      return w.op(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, in, {w.result(f32)}, o);
    }));
  };
  lstm("lstm", false, false, false);
  lstm("lstm_time_major", true, false, false);
  lstm("lstm_coupled", false, true, false);
  lstm("lstm_peephole", false, false, true);
  lstm("lstm_coupled_peephole", false, true, true);
  lstm("lstm_projection", false, false, false, 2);
  lstm("lstm_everything", true, true, true, 2, 0.2f);
  for (const bool merged : {false, true})
    all.push_back(
        make_case(merged ? "bidirectional_lstm_merged" : "bidirectional_lstm", [&](Writer& w) {
          std::vector<int> in{w.input(f32, {batch, steps, inputs})};
          for (unsigned direction = 0; direction < 2; ++direction) {
            const unsigned seed = 100 * direction;
            for (unsigned g = 0; g < 4; ++g)
              in.push_back(w.weights(f32, {hidden, inputs}, {}, seed + 10 + g));
            for (unsigned g = 0; g < 4; ++g)
              in.push_back(w.weights(f32, {hidden, hidden}, {}, seed + 20 + g));
            in.insert(in.end(), {-1, -1, -1});
            for (unsigned g = 0; g < 4; ++g)
              in.push_back(w.weights(f32, {hidden}, {}, seed + 40 + g));
            in.insert(in.end(), {-1, -1});
          }
          for (int i = 0; i < 4; ++i) in.push_back(w.variable(f32, {batch, hidden}));
          in.insert(in.end(), 9, -1);
          schema::BidirectionalSequenceLSTMOptionsT o;
          o.fused_activation_function = schema::ActivationFunctionType::TANH;
          o.time_major = false;
          o.merge_outputs = merged;
          std::vector<Out> out{w.empty(f32)};
          if (!merged) out.push_back(w.empty(f32));
          w.op(Code::BIDIRECTIONAL_SEQUENCE_LSTM, in, out, o);
          for (const Out& y : out) w.output(y.index);
          return -1;
        }));
  for (const bool time_major : {false, true})
    all.push_back(make_case(time_major ? "rnn_time_major" : "rnn", [&](Writer& w) {
      schema::SequenceRNNOptionsT o;
      o.time_major = time_major;
      o.fused_activation_function = schema::ActivationFunctionType::TANH;
      const int x =
          w.input(f32, time_major ? Shape{steps, batch, inputs} : Shape{batch, steps, inputs});
      return w.op(Code::UNIDIRECTIONAL_SEQUENCE_RNN,
                  {x, w.weights(f32, {hidden, inputs}), w.weights(f32, {hidden, hidden}, {}, 2),
                   w.weights(f32, {hidden}, {}, 3), w.variable(f32, {batch, hidden})},
                  {w.result(f32)}, o);
    }));
  all.push_back(make_case("rnn_step", [&](Writer& w) {
    schema::RNNOptionsT o;
    o.fused_activation_function = schema::ActivationFunctionType::RELU;
    return w.op(Code::RNN,
                {w.input(f32, {batch, inputs}), w.weights(f32, {hidden, inputs}),
                 w.weights(f32, {hidden, hidden}, {}, 2), w.weights(f32, {hidden}, {}, 3),
                 w.variable(f32, {batch, hidden})},
                {w.result(f32)}, o);
  }));
}

}  // namespace webnn::inline v0_1::tflite::test
