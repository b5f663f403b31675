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

/// What products may be made of. `int8`: where a graph dequantizes constant weights to float32 for
/// a product, the activations may be quantized to int8: pieces of a row, of 256 elements at most,
/// each by its largest magnitude. `bfloat16`: products, convolutions and attention of floats may
/// round their operands to bfloat16, and sum in float32; on a processor without instructions for
/// that the level changes nothing.
enum class AccuracyLevel { float32, int8, bfloat16 };
constexpr auto names_of(AccuracyLevel) { return names("float32", "int8", "bfloat16"); }

/// How much a message of MLContextOptions::log matters: what may be of interest, what is probably
/// not as it was meant, what went wrong.
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
  /// Threads that work on a dispatch, the caller's among them. 0: what WEBNN_NUM_THREADS says,
  /// else as many as the cores that the process may use: those of its affinity, and no more than
  /// the CPU quota of its control groups, rounded up. Where the system does not start them all, a
  /// context works with fewer: MLContext::threads().
  int threads = 0;
  /// The order in which backends are asked. Empty: what WEBNN_BACKENDS says (names with commas
  /// between them), else all that were built in: simd, onednn, xnnpack, reference.
  std::vector<BackendChoice> backends{};
  Rules rules = Rules::specification;  ///< those of the specification, or of the tests of 2025
  /// Threads of the caller instead of a team of this context; `threads` is then ignored.
  std::shared_ptr<ThreadPool> threadPool{};
  /// Calls of one graph that run at the same time at most, 1 to 1024; each has memory of its own
  /// for intermediate results and scratch, which is allocated when so many calls come for the first
  /// time. 0: as many as threads.
  int runs = 0;
  /// Bytes that the graphs of the context may hold together, as MLGraph::memory() counts them,
  /// without what they share; 0: any number. build() throws OperationError when a graph would
  /// exceed it.
  std::size_t memoryLimit = 0;
  /// Keep all constants of a graph for MLGraph::graph() and MLGraph::optimized(): to write it to a
  /// file, to compare it. Else build() drops copies of constants of 64 KiB and more: those that
  /// kernels hold packed, and in the operands of the builder, which may live on, all of them.
  /// Constants with an owner of the caller, such as a mapped file, stay.
  bool keepConstants = false;
  /// With `once`, kernels are chosen by measurement, so that results of two contexts may differ by
  /// rounding. What a table says is used in either case: the same table gives the same kernels.
  Tuning tuning = Tuning::off;
  /// A table of earlier measurements, as MLContext::tuning_table() gives it and `webnn tune` writes
  /// it. What it says of other processors, numbers of threads and versions is not used. Empty: what
  /// WEBNN_TUNING says, if anything. With Tuning::once the file need not exist yet.
  Path tuningFile{};
  /// `int8` and `bfloat16` trade accuracy for speed where a kernel can use them; explain() names
  /// those kernels.
  AccuracyLevel accuracyLevel = AccuracyLevel::float32;
  /// Gets what leaves a callback of the caller that is called on the timeline (`done` of the _async
  /// methods), on the thread that called it; may be called from several threads, and must not
  /// throw. Empty: its message goes to standard error.
  std::function<void(std::exception_ptr)> uncaughtException{};
  /// Custom operators that files may name (webnn/custom.h), each name and version once. Those that
  /// a program gives to MLGraphBuilder::custom() need not be among them.
  std::vector<std::shared_ptr<const CustomOperator>> operators{};
  /// Where large memory comes from: that of runs, of packed weights and of tensors
  /// (webnn/allocator.h). Empty: the library's own.
  std::shared_ptr<Allocator> allocator{};
  /// Gets what the library would say besides its results and exceptions, on the thread that says
  /// it; may be called from several threads, and must not throw. Empty: nothing is said.
  std::function<void(LogLevel, std::string_view message)> log{};
  /// Gets what WEBNN_TRACE writes into a file: each step, when it has ended, on the thread that ran
  /// it (webnn/tracing.h); may be called from several threads at once, and must not throw. Empty:
  /// nothing is measured.
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
  OutputView data;        ///< where its values go
};

/// Where graphs run: backends, threads, and a timeline on which tensors are written, used and
/// read in the order of the calls. A handle: copies name the same context. All methods may be
/// called from any thread. Callers of one graph run side by side, up to MLContextOptions::runs; the
/// callers beyond them take turns, each of one run or half a millisecond of runs. When memory runs
/// out, methods throw std::bad_alloc where they say nothing else. A std::stop_token ends a call
/// before its next step: it throws AbortError, or hands it to `done`, and what it has written so
/// far is left as it is. The timeline has a thread of its own, for calls that do not wait for their
/// work. Where the system does not start one, these do their work before they return, and call
/// `done` there. In a child process after fork(), compute() runs on the calling thread alone and
/// everything that needs the timeline throws InvalidStateError: make another context there.
class MLContext {
 public:
  /// Throws NotSupportedError for a backend that is not known or not built in, TypeError for a
  /// number of threads that is negative or above 1024 and for operators that are null, wrong or
  /// there twice, DataError for a table of measurements that cannot be read.
  explicit MLContext(MLContextOptions options = {});
  MLContext(const MLContext&) = default;  // no moves: a context that was moved from would be empty
  MLContext& operator=(const MLContext&) = default;

  bool accelerated() const;
  /// That work on a dispatch. GraphReport::threads_asked is how many there were to be.
  int threads() const;
  std::vector<std::string> backends() const;
  Rules rules() const;
  /// What the operators accept and at least one backend of this context supports. A method throws
  /// TypeError only for what the operator does not accept; build() throws OperationError for what
  /// no backend supports. https://www.w3.org/TR/webnn/#api-mlcontext-opsupportlimits
  MLOpSupportLimits opSupportLimits() const;
  /// What has been measured here and what `tuningFile` says, of other machines too: the text of a
  /// file for MLContextOptions::tuningFile.
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
  /// Reads on the timeline: `done` gets what went wrong, or the values as they are then, without
  /// a copy. Mistakes are thrown at once. What `done` may do, compute_async() says; it is called
  /// here, before this returns, when all that is queued takes less time than a thread switch.
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
  /// written. Every input is given that an operator reads; outputs may be left out. Allocates
  /// nothing. Throws InvalidStateError for a destroyed graph, TypeError for a graph of another
  /// context, unknown or missing names, views of the wrong size or type, and outputs that overlap
  /// inputs or each other; OperationError when a kernel fails.
  void compute(const MLGraph& graph, ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
               std::stop_token stop = {});
  /// Computes on the timeline. Mistakes are thrown at once; the views must stay valid until the
  /// future is ready or `done` has been called (with null when all went well). `done` may use the
  /// context and read its tensors, but not wait for other futures: the timeline waits for it. What
  /// it throws goes to MLContextOptions::uncaughtException.
  std::future<void> compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                                  ListView<NamedOutput> outputs, std::stop_token stop = {});
  void compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                     ListView<NamedOutput> outputs, std::function<void(std::exception_ptr)> done,
                     std::stop_token stop = {});
  /// Median microseconds of each step of the graph over some runs on zeros: for explain().
  std::vector<double> profile(const MLGraph& graph, int runs = 50);
  /// Measures on the timeline. Mistakes are thrown at once; what `done` may do, compute_async()
  /// says.
  std::future<std::vector<double>> profile_async(const MLGraph& graph, int runs = 50);
  void profile_async(const MLGraph& graph, int runs,
                     std::function<void(std::exception_ptr, std::vector<double>)> done);

 private:
  friend struct detail::Access;
  explicit MLContext(std::shared_ptr<ContextState> state) : state_(std::move(state)) {}

  std::shared_ptr<ContextState> state_;
};

}  // namespace webnn::inline v0_1
