// MLContext: https://www.w3.org/TR/webnn/#api-mlcontext
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <stop_token>

#include "webnn/path.h"
#include "webnn/rules.h"
#include "webnn/support_limits.h"
#include "webnn/tensor.h"
#include "webnn/thread_pool.h"
#include "webnn/views.h"

namespace webnn::inline v0_1 {

class Allocator;        // webnn/allocator.h
struct Backend;         // webnn/backend.h
struct CustomOperator;  // webnn/custom.h
class MLGraph;
struct TraceEvent;    // webnn/tracing.h
struct ContextState;  // private: src/runtime/context_state.h

enum class MLPowerPreference { default_, high_performance, low_power };
constexpr auto names_of(MLPowerPreference) {
  return names("default", "high-performance", "low-power");
}
/// A choice that earlier drafts have. `gpu` and `npu` ask for acceleration, `cpu` for none; this
/// library runs on the CPU.
enum class MLDeviceType { cpu, gpu, npu };
constexpr auto names_of(MLDeviceType) { return names("cpu", "gpu", "npu"); }

/// Whether build() measures which kernel of a chain of operators is the fastest. `once`: where
/// several backends have a kernel for the same operators, and the table of the context does not say
/// which is the fastest; each different chain takes some tens of milliseconds.
enum class Tuning { off, once };
constexpr auto names_of(Tuning) { return names("off", "once"); }

/// What kernels of products may round. `int8`: where a graph dequantizes constant weights to
/// float32 for a product, the activations may be quantized to int8: pieces of a row, of 256
/// elements at most, each by its largest magnitude. `bfloat16`: products, convolutions and
/// attention of floats may round their operands to bfloat16, and sum in float32; on a processor
/// without instructions for that the level changes nothing.
enum class AccuracyLevel { float32, int8, bfloat16 };
constexpr auto names_of(AccuracyLevel) { return names("float32", "int8", "bfloat16"); }

/// How much a message of MLContextOptions::log matters: it may be of interest, something is
/// probably not as it was meant, or something went wrong.
enum class LogLevel { info, warning, error };
constexpr auto names_of(LogLevel) { return names("info", "warning", "error"); }

/// A backend by name (simd, onednn, xnnpack, reference), or a custom backend.
struct BackendChoice : std::variant<std::string, std::shared_ptr<const Backend>> {
  BackendChoice(const char* name) : variant(std::string(name)) {}
  BackendChoice(std::string name) : variant(std::move(name)) {}
  template <class T>
  requires std::is_convertible_v<T*, const Backend*> BackendChoice(std::shared_ptr<T> own)
      : variant(std::shared_ptr<const Backend>(std::move(own))) {}
};

struct MLContextOptions {
  MLPowerPreference powerPreference =
      MLPowerPreference::default_;           ///< a hint, which this library does not use
  bool accelerated = true;                   ///< what MLContext::accelerated() returns
  std::optional<MLDeviceType> deviceType{};  ///< the earlier way to say `accelerated`
  /// The number of threads that work on a dispatch, including the calling one. 0: the number in
  /// WEBNN_NUM_THREADS, else the number of cores that the process may use: the cores of its
  /// affinity, and no more than the CPU quota of its control groups, rounded up. If the system does
  /// not start them all, a context works with fewer: MLContext::threads().
  int threads = 0;
  /// The order in which backends are asked. Empty: the order in WEBNN_BACKENDS (names with commas
  /// between them), else all backends that were built in: simd, onednn, xnnpack, reference.
  std::vector<BackendChoice> backends{};
  Rules rules = Rules::specification;  ///< those of the specification, or of the tests of 2025
  /// Threads of the caller instead of a team of this context; `threads` is then ignored.
  std::shared_ptr<ThreadPool> threadPool{};
  /// The largest number of calls of one graph that run at the same time, 1 to 1024. Each has memory
  /// of its own for intermediate results and scratch, which is allocated when that many calls come
  /// for the first time. 0: as many as threads.
  int runs = 0;
  /// The number of bytes that the graphs of the context may hold together, as MLGraph::memory()
  /// counts them; what they share counts once. 0: any number. build() throws OperationError when a
  /// graph would exceed it.
  std::size_t memoryLimit = 0;
  /// Whether all constants of a graph are kept for MLGraph::graph() and MLGraph::optimized(), so
  /// that it can be written to a file or compared. Otherwise build() drops copies of constants of
  /// 64 KiB and more: those that kernels hold packed, and all of those in the operands of the
  /// builder, even if the builder still exists. Constants with an owner of the caller, such as a
  /// mapped file, stay.
  bool keepConstants = false;
  /// With `once`, kernels are chosen by measurement, so results of two contexts may differ by
  /// rounding. A table is used in either case: the same table gives the same kernels.
  Tuning tuning = Tuning::off;
  /// The name of a file with earlier measurements, as MLContext::tuning_table() gives them and
  /// `webnn tune` writes them. Measurements of other processors, numbers of threads and versions
  /// are not used. Empty: the file in WEBNN_TUNING, if it is set. With Tuning::once the file need
  /// not exist yet.
  Path tuningFile{};
  /// `int8` and `bfloat16` trade accuracy for speed where a kernel can use them; explain() names
  /// those kernels.
  AccuracyLevel accuracyLevel = AccuracyLevel::float32;
  /// Gets the exception of a callback of the caller that is called on the timeline (`done` of the
  /// _async methods), on the thread that called it. It may be called from several threads; what it
  /// throws is ignored. Empty: the message of the exception goes to the standard error.
  std::function<void(std::exception_ptr)> uncaughtException{};
  /// Custom operators that files may name (webnn/custom.h), each name and version once. Those that
  /// a program gives to MLGraphBuilder::custom() need not be among them.
  std::vector<std::shared_ptr<const CustomOperator>> operators{};
  /// The source of the memory of runs, of packed weights and of tensors (webnn/allocator.h). Empty:
  /// the library's own.
  std::shared_ptr<Allocator> allocator{};
  /// Gets the messages of the library besides its results and exceptions, on the thread to which
  /// they belong. It may be called from several threads; what it throws is ignored. Empty: there
  /// are no messages.
  std::function<void(LogLevel, std::string_view message)> log{};
  /// Gets each step, when it has ended, on the thread that ran it (webnn/tracing.h), as WEBNN_TRACE
  /// writes it to a file. It may be called from several threads at once; what it throws ends the
  /// run. It must not run the graph that calls it: that throws InvalidStateError. Empty: nothing is
  /// measured.
  std::function<void(const TraceEvent&)> trace{};
};

struct NamedTensor {
  std::string_view name;  ///< an input or output of the graph
  MLTensor tensor;        ///< a tensor of the same context
};
struct NamedInput {
  std::string_view name;  ///< an input of the graph
  InputView data;         ///< its values
};
struct NamedOutput {
  std::string_view name;  ///< an output of the graph
  OutputView data;        ///< the memory for its values
};

/// Where graphs run: backends, threads, and a timeline on which tensors are written, used and read
/// in the order of the calls. A handle: copies name the same context. All methods may be called
/// from any thread. Callers of one graph run side by side, up to MLContextOptions::runs; further
/// callers take turns, and a turn is one run, or as many runs as fit into half a millisecond. When
/// memory runs out, methods throw std::bad_alloc unless they say otherwise. A std::stop_token ends
/// a call before its next step: it throws AbortError, or hands it to `done`, and what it has
/// written so far is left as it is. The timeline has a thread of its own, for calls that do not
/// wait for their work. If the system does not start one, these calls do their work, and call
/// `done`, before they return. In a child process after fork(), compute() runs on the calling
/// thread alone and everything that needs the timeline throws InvalidStateError: make another
/// context there.
class MLContext {
 public:
  /// Throws NotSupportedError for a backend that is not known or not built in, TypeError for a
  /// number of threads that is negative or above 1024 and for operators that are null, wrong or
  /// there twice, DataError for a table of measurements that cannot be read.
  explicit MLContext(MLContextOptions options = {});
  MLContext(const MLContext&) = default;  // no moves: a context that was moved from would be empty
  MLContext& operator=(const MLContext&) = default;

  bool accelerated() const;
  /// The number of threads that work on a dispatch. GraphReport::threads_asked is the number that
  /// was asked for.
  int threads() const;
  std::vector<std::string> backends() const;
  Rules rules() const;
  /// What the operators accept and at least one backend of this context supports. A method throws
  /// TypeError only for what the operator does not accept; build() throws OperationError for what
  /// no backend supports. https://www.w3.org/TR/webnn/#api-mlcontext-opsupportlimits
  MLOpSupportLimits opSupportLimits() const;
  /// The measurements of this context and those of its `tuningFile`, including those of other
  /// machines, as the text of a file for MLContextOptions::tuningFile.
  std::string tuning_table() const;
  /// Destroys every graph and tensor of the context, and frees their memory. Calls that are under
  /// way or queued end with InvalidStateError before their next step. Idempotent.
  void destroy();
  bool lost() const;

  // Tensors: https://www.w3.org/TR/webnn/#api-mlcontext-createtensor

  /// Contents are zero. Throws InvalidStateError when lost, TypeError for bad dimensions,
  /// UnknownError when memory runs out.
  MLTensor createTensor(MLTensorDescriptor descriptor);
  /// Copies the values. For MLGraphBuilder::constant().
  MLTensor createConstantTensor(MLOperandDescriptor descriptor, InputView values);
  /// Copies the values before it returns. Throws TypeError for a tensor of another context, a
  /// destroyed or not writable one, and for values of the wrong size or type.
  void writeTensor(const MLTensor& tensor, InputView values);
  /// Waits for what was queued before it, and only that. Throws TypeError as writeTensor does, and
  /// OperationError when the work that should have written the tensor failed.
  void readTensor(const MLTensor& tensor, OutputView values);
  std::vector<std::byte> readTensor(const MLTensor& tensor);
  /// Reads on the timeline: `done` gets what went wrong, or the values as they are then, without a
  /// copy. Mistakes are thrown at once. compute_async() says what `done` may do. It is called
  /// before this function returns if all queued work takes less time than a thread switch.
  void readTensor_async(const MLTensor& tensor,
                        std::function<void(std::exception_ptr, std::optional<Constant>)> done);
  /// Reads with a future, which is ready when `done` would have been called.
  std::future<Constant> readTensor_async(const MLTensor& tensor);
  /// Throws what readTensor(tensor, values) throws for wrong arguments.
  void check_read(const MLTensor& tensor, OutputView values) const;
  /// Queues one run of the graph and returns. Throws, in this order: TypeError for a graph of
  /// another context; InvalidStateError for a destroyed one; TypeError for a tensor used twice, of
  /// another context, destroyed or constant, and for missing, unknown or unfitting names.
  /// Reading an output of a dispatch that was stopped throws AbortError.
  void dispatch(const MLGraph& graph, ListView<NamedTensor> inputs, ListView<NamedTensor> outputs,
                std::stop_token stop = {});

  // Memory of the caller

  /// Runs the graph on the calling thread and the context's, and returns when the outputs are
  /// written. Every input that an operator reads must be given; outputs may be left out. Allocates
  /// nothing. Throws InvalidStateError for a destroyed graph, TypeError for a graph of another
  /// context, unknown or missing names, views of the wrong size or type, and outputs that overlap
  /// inputs or each other; OperationError when a kernel fails.
  void compute(const MLGraph& graph, ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
               std::stop_token stop = {});
  /// Computes on the timeline. Mistakes are thrown at once; the views must stay valid until the
  /// future is ready or `done` has been called (with null when all went well). `done` may use the
  /// context and read its tensors, but not wait for other futures: the timeline waits for it.
  /// Exceptions that it throws go to MLContextOptions::uncaughtException.
  std::future<void> compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                                  ListView<NamedOutput> outputs, std::stop_token stop = {});
  void compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                     ListView<NamedOutput> outputs, std::function<void(std::exception_ptr)> done,
                     std::stop_token stop = {});
  /// Median microseconds of each step of the graph over some runs on zeros: for explain().
  std::vector<double> profile(const MLGraph& graph, int runs = 50);
  /// Measures on the timeline. Mistakes are thrown at once; compute_async() says what `done` may
  /// do.
  std::future<std::vector<double>> profile_async(const MLGraph& graph, int runs = 50);
  void profile_async(const MLGraph& graph, int runs,
                     std::function<void(std::exception_ptr, std::vector<double>)> done);

 private:
  friend struct detail::Access;
  explicit MLContext(std::shared_ptr<ContextState> state) : state_(std::move(state)) {}

  std::shared_ptr<ContextState> state_;
};

}  // namespace webnn::inline v0_1
