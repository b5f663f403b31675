// Attributes of NNRt's operators: element by element.
#pragma once

#include "webnn/nnrt/field.h"

namespace webnn::inline v0_1::nnrt {

struct Abs {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ABS;
  static constexpr std::tuple<> fields{};
  bool operator==(const Abs&) const = default;
};

struct AddFusion {
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ADD_FUSION;
  static constexpr auto fields = std::tuple(field("activationType", &AddFusion::activationType));
  bool operator==(const AddFusion&) const = default;
};

struct BiasAdd {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_BIAS_ADD;
  static constexpr std::tuple<> fields{};
  bool operator==(const BiasAdd&) const = default;
};

struct Ceil {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CEIL;
  static constexpr std::tuple<> fields{};
  bool operator==(const Ceil&) const = default;
};

struct Clip {
  float max = 0;
  float min = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CLIP;
  static constexpr auto fields = std::tuple(field("max", &Clip::max), field("min", &Clip::min));
  bool operator==(const Clip&) const = default;
};

struct Cos {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_COS;
  static constexpr std::tuple<> fields{};
  bool operator==(const Cos&) const = default;
};

struct DivFusion {
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_DIV_FUSION;
  static constexpr auto fields = std::tuple(field("activationType", &DivFusion::activationType));
  bool operator==(const DivFusion&) const = default;
};

struct Eltwise {
  EltwiseMode mode{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ELTWISE;
  static constexpr auto fields = std::tuple(field("mode", &Eltwise::mode));
  bool operator==(const Eltwise&) const = default;
};

struct Equal {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_EQUAL;
  static constexpr std::tuple<> fields{};
  bool operator==(const Equal&) const = default;
};

struct ExpFusion {
  float base = -1;
  float scale = 1;
  float shift = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_EXPFUSION;
  static constexpr auto fields =
      std::tuple(field("base", &ExpFusion::base), field("scale", &ExpFusion::scale),
                 field("shift", &ExpFusion::shift));
  bool operator==(const ExpFusion&) const = default;
};

struct Floor {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_FLOOR;
  static constexpr std::tuple<> fields{};
  bool operator==(const Floor&) const = default;
};

struct Greater {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_GREATER;
  static constexpr std::tuple<> fields{};
  bool operator==(const Greater&) const = default;
};

struct GreaterEqual {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_GREATER_EQUAL;
  static constexpr std::tuple<> fields{};
  bool operator==(const GreaterEqual&) const = default;
};

struct LeakyRelu {
  float negativeSlope = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LEAKY_RELU;
  static constexpr auto fields = std::tuple(field("negativeSlope", &LeakyRelu::negativeSlope));
  bool operator==(const LeakyRelu&) const = default;
};

struct Less {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LESS;
  static constexpr std::tuple<> fields{};
  bool operator==(const Less&) const = default;
};

struct LessEqual {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LESS_EQUAL;
  static constexpr std::tuple<> fields{};
  bool operator==(const LessEqual&) const = default;
};

struct Log {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LOG;
  static constexpr std::tuple<> fields{};
  bool operator==(const Log&) const = default;
};

struct LogicalAnd {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LOGICAL_AND;
  static constexpr std::tuple<> fields{};
  bool operator==(const LogicalAnd&) const = default;
};

struct LogicalNot {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LOGICAL_NOT;
  static constexpr std::tuple<> fields{};
  bool operator==(const LogicalNot&) const = default;
};

struct LogicalOr {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LOGICAL_OR;
  static constexpr std::tuple<> fields{};
  bool operator==(const LogicalOr&) const = default;
};

struct Maximum {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_MAXIMUM;
  static constexpr std::tuple<> fields{};
  bool operator==(const Maximum&) const = default;
};

struct Minimum {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_MINIMUM;
  static constexpr std::tuple<> fields{};
  bool operator==(const Minimum&) const = default;
};

struct Mod {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_MOD;
  static constexpr std::tuple<> fields{};
  bool operator==(const Mod&) const = default;
};

struct MulFusion {
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_MUL_FUSION;
  static constexpr auto fields = std::tuple(field("activationType", &MulFusion::activationType));
  bool operator==(const MulFusion&) const = default;
};

struct Neg {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_NEG;
  static constexpr std::tuple<> fields{};
  bool operator==(const Neg&) const = default;
};

struct NotEqual {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_NOT_EQUAL;
  static constexpr std::tuple<> fields{};
  bool operator==(const NotEqual&) const = default;
};

struct PowFusion {
  float scale = 1;
  float shift = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_POW_FUSION;
  static constexpr auto fields =
      std::tuple(field("scale", &PowFusion::scale), field("shift", &PowFusion::shift));
  bool operator==(const PowFusion&) const = default;
};

struct Reciprocal {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_RECIPROCAL;
  static constexpr std::tuple<> fields{};
  bool operator==(const Reciprocal&) const = default;
};

struct RealDiv {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_REAL_DIV;
  static constexpr std::tuple<> fields{};
  bool operator==(const RealDiv&) const = default;
};

struct Round {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ROUND;
  static constexpr std::tuple<> fields{};
  bool operator==(const Round&) const = default;
};

struct Rsqrt {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_RSQRT;
  static constexpr std::tuple<> fields{};
  bool operator==(const Rsqrt&) const = default;
};

struct Sin {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SIN;
  static constexpr std::tuple<> fields{};
  bool operator==(const Sin&) const = default;
};

struct Sqrt {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SQRT;
  static constexpr std::tuple<> fields{};
  bool operator==(const Sqrt&) const = default;
};

struct Square {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SQUARE;
  static constexpr std::tuple<> fields{};
  bool operator==(const Square&) const = default;
};

struct SquaredDifference {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SQUARED_DIFFERENCE;
  static constexpr std::tuple<> fields{};
  bool operator==(const SquaredDifference&) const = default;
};

struct SubFusion {
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SUB_FUSION;
  static constexpr auto fields = std::tuple(field("activationType", &SubFusion::activationType));
  bool operator==(const SubFusion&) const = default;
};

struct Where {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_WHERE;
  static constexpr std::tuple<> fields{};
  bool operator==(const Where&) const = default;
};

struct Select {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SELECT;
  static constexpr std::tuple<> fields{};
  bool operator==(const Select&) const = default;
};

struct Erf {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ERF;
  static constexpr std::tuple<> fields{};
  bool operator==(const Erf&) const = default;
};

}  // namespace webnn::inline v0_1::nnrt
