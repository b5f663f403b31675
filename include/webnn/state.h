// State that a dispatch updates in place: an extension, off unless a builder asks for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "webnn/context.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// Declares that state_out is state_in after a run, for example a cache of keys and values with a
/// new row. A dispatch of the graph may then be given one tensor for both. If the operator that
/// makes state_out, such as scatterElements or scatterND, can write over its operand, and nothing
/// reads state_in after it, a run writes only the changed elements; otherwise the state is copied,
/// with the same result. A dispatch may still be given two tensors, as without the declaration.
///
/// A state grows when it has one open dimension that differs in state_out, as in
/// concat({past, fresh}, axis). Its tensor is one of createState(), which has memory for the bound
/// (MLDynamicDimension::maxSize) of that dimension. All other dimensions are the same in both.
///
/// Throws TypeError if state_in is not an input of this builder, state_out is not a result of it,
/// their data types, ranks or other dimensions differ, more than one dimension grows, the one that
/// grows has no bound, or one of them is declared already; InvalidStateError after build(). build()
/// throws TypeError if state_out is not one of the outputs.
void update(MLGraphBuilder& builder, const MLOperand& state_in, const MLOperand& state_out);

/// Declares a state, update(), that the graph keeps. A run that is given neither the input nor the
/// output of the state reads what the run before it has left, and the first one reads `initial`:
/// the elements of state_in in row-major order, or zeros where it is left out. Such runs follow one
/// another on the timeline of the context, those of compute() too. A run that is given a value for
/// the input does not use the state that is kept, and leaves it as it is. If a run was stopped or
/// failed while it wrote the state, the next run throws the same exception, until resetStates() is
/// called.
///
/// Throws what update() throws, and TypeError for a state_in with open dimensions, or if `initial`
/// does not have its byte length.
void keepState(MLGraphBuilder& builder, const MLOperand& state_in, const MLOperand& state_out,
               std::optional<Constant> initial = std::nullopt);

/// A state that a graph keeps: the names of an input, and of the output that is its value in the
/// next run.
struct KeptState {
  std::string input{}, output{};
  Constant initial;  ///< its value in the first run
};
/// The states that the graph keeps, in the order of their declaration. Throws InvalidStateError for
/// a destroyed graph.
std::vector<KeptState> keptStates(const MLGraph& graph);
/// Sets the states that the graph keeps to their initial values after the runs that are already
/// queued. Throws InvalidStateError for a destroyed graph.
void resetStates(const MLGraph& graph);

/// A cache of a decoder: the names of an input, and of the output that takes its place.
struct CacheNames {
  std::string past{}, present{};
  bool operator==(const CacheNames&) const = default;
};

/// Declares the caches of a decoder that comes from a file as states, update(), by the names that
/// exporters give them: an input with "past" or "past_key_values" in its name, and the output that
/// has "present" there instead, such as past_key_values.0.key and present.0.key. Inputs and outputs
/// are those of the imported model, and `maxSize` becomes the bound of the dimension along which
/// the caches grow, unless it has a smaller one. Returns the pairs, in the order of the inputs.
///
/// Throws TypeError if there is no such pair, for a bound below the dimension's minSize, for which
/// no sizes are found that all operators accept, and for a pair that update() refuses;
/// InvalidStateError after build(). The builder then is as it was before.
std::vector<CacheNames> updateCaches(MLGraphBuilder& builder, const NamedOperands& inputs,
                                     const NamedOperands& outputs, std::uint32_t maxSize);

/// A tensor for a state of the graph, by the name of its input: readable, writable, and zero. The
/// shape is that of the input in the next run; it can be left out when no dimension is open but the
/// one that grows, whose size then is its bound `minSize`.
///
/// The tensor of a state that grows has memory for its bound, and a dispatch that gets it as the
/// input and as the output makes it longer: as soon as the dispatch is queued, MLTensor::shape() is
/// the shape of the next run. The tensor may also be only an input, or only an output of that type;
/// an output sets its size. A dispatch throws TypeError if the state would exceed the bound, and
/// leaves it as it was. Threads may dispatch with it at the same time, but may not call shape()
/// while another thread does.
///
/// Throws TypeError for an input that is not a state, and for a shape that the input cannot have;
/// InvalidStateError for a destroyed graph; UnknownError when memory runs out.
MLTensor createState(const MLGraph& graph, std::string_view input, const Dims& shape = {});

/// Sets the size of the dimension along which a state grows: 0 empties the state, a smaller size
/// keeps its first rows, and rows that are added are zero. Work that was queued before sees the
/// state as it was. The state may be used again after a dispatch that failed or was stopped, if the
/// rows were there before that dispatch. Throws TypeError for a tensor that does not grow or is
/// destroyed, and for a size beyond its bound.
void resizeState(const MLTensor& state, std::uint32_t size);

/// Gives back the memory of the first `rows` rows of a state that grows, after the work that was
/// queued before. A mask must hide these rows from all later rows: nothing may read their values
/// any more, which are zero or values that they had at some time. Whole pages of memory are given
/// back, on Linux and for states that are not small; elsewhere nothing happens. Throws TypeError
/// for a tensor that does not grow, is joined or is destroyed, and for more rows than it has.
void releaseRows(const MLTensor& state, std::uint32_t rows);

/// Joins the states of several sequences into one tensor, which has them one after the other along
/// dimension 0, so that decoders run a step of all of them at once. A dispatch that gets such a
/// tensor as the input and as the output of each growing state adds to every state its row of the
/// result, and for each sequence attention reads only its own rows. The results have the bits of a
/// dispatch for this sequence alone, as far as other operators compute their rows independently. A
/// mask that a graph adds to scores has room for the longest state; the others read its beginning.
///
/// shape() is the shape of the next run, with the size of the longest state, at the time of this
/// call or of the last dispatch. The states also remain separate tensors; they may be resized, read
/// and dispatched, and may be in several joined tensors, one run after the other.
///
/// A dispatch throws TypeError if its joined states have different numbers of sequences or, for one
/// sequence, different sizes, and if a state is empty, full or given twice. It throws
/// NotSupportedError if a graph uses its states for more than attention (see
/// docs/guide/open-shapes.md), or adds more than a row to each.
///
/// Throws TypeError without states, and for a state that is empty, destroyed or joined, does not
/// grow, grows along dimension 0 or has a size other than 1 there, is given twice, or has another
/// type, shape, bound or context than the first one.
MLTensor joinStates(const std::vector<MLTensor>& states);

/// New tensors for the same graph, with the rows that these states have now. On Linux, and for
/// states that are not small, both share a page of memory until one of them changes it; elsewhere
/// the rows are copied. The results are in the order of `states`.
///
/// Throws TypeError for a tensor that is empty, destroyed or joined, does not grow, or is of
/// another context than the first one; UnknownError when memory runs out.
std::vector<MLTensor> forkStates(const std::vector<MLTensor>& states);

/// The bound of the dimension along which a state grows; 0 for other tensors.
std::uint32_t stateCapacity(const MLTensor& state);

}  // namespace webnn::inline v0_1
