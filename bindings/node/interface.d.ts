// The Web Neural Network API: https://www.w3.org/TR/webnn/

export type MLOperandDataType =
  | 'float32' | 'float16' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'int8' | 'uint8'
  | 'int4' | 'uint4' | 'bfloat16' | 'float8e4m3';
export type MLPowerPreference = 'default' | 'high-performance' | 'low-power';
export type MLInputOperandLayout = 'nchw' | 'nhwc';
export type MLNumber = number | bigint;
/**
 * A buffer, or a view of one: a Uint8Array, or the typed array of the data type. That of bfloat16
 * is a Uint16Array of the bits, that of float8e4m3 a Uint8Array.
 */
export type AllowSharedBufferSource = ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

export interface MLContextOptions {
  // @contextOptions
  /** An extension. Custom operators that files and MLGraphBuilder.custom() may name. */
  operators?: Iterable<MLCustomOperator>;
  /**
   * An extension. A function that gets the messages of the library besides results and errors. It is
   * called some time later, when the program returns to its event loop.
   */
  log?: (level: 'info' | 'warning' | 'error', message: string) => void;
  /**
   * An extension. A function that gets each step that a thread has run, or some of its tiles, some
   * time later.
   */
  trace?: (event: MLTraceEvent) => void;
}
export interface MLTraceEvent {
  /** The backend and the name of the kernel: 'simd conv2d 3x3'. */
  kernel: string;
  /** The operators that the kernel runs: 'conv2d+relu'. */
  operators: string;
  /** The label of the first operator. */
  label: string;
  /** The index in MLGraph.report().steps. */
  step: number;
  /** The index of the thread among those of the context; 0 is the calling thread. */
  worker: number;
  /** The number of tiles of the step that the thread has run. */
  tiles: number;
  tilesOfStep: number;
  /** The time in nanoseconds of a steady clock. */
  start: number;
  /** The time in nanoseconds. */
  duration: number;
  /** The approximate number of bytes that these tiles read and write. */
  bytes: number;
}
export interface MLOperandDescriptor {
  dataType: MLOperandDataType;
  shape: Iterable<number>;
}
/** A size, or a name for which each run of the graph chooses a size; its bounds are an extension. */
export type MLDimension = number | string | MLDynamicDimension;
export interface MLDynamicDimension {
  name: string;
  /** It is 1 by default; 0 admits an empty tensor. */
  minSize?: number;
  maxSize?: number;
}
export interface MLInputOperandDescriptor {
  dataType: MLOperandDataType;
  shape: Iterable<MLDimension>;
}
/** The form of the 2023 draft, which the rules 'specification' refuse. */
export interface MLOperandDescriptor2023 {
  type: MLOperandDataType;
  dimensions?: Iterable<number>;
}
export interface MLTensorDescriptor extends MLOperandDescriptor {
  readable?: boolean;
  writable?: boolean;
}
export interface MLContextLostInfo {
  message: string;
}
export interface MLTensorLimits {
  dataTypes: MLOperandDataType[];
  rankRange: { min: number; max: number };
}
export type MLNamedTensors = Record<string, MLTensor>;
export type MLNamedOperands = Record<string, MLOperand>;
/** A cache of a decoder: the names of an input, and of the output that takes its place. */
export interface MLCacheNames {
  past: string;
  present: string;
}
export type MLNamedArrayBufferViews = Record<string, ArrayBufferView>;

export class ML {
  private constructor();
  createContext(options?: MLContextOptions): Promise<MLContext>;
  createContextSync(options?: MLContextOptions): MLContext;
  /** An extension: the file formats of this build. */
  modelFormats(): MLModelFormat[];
}

export class MLContext {
  private constructor();
  readonly accelerated: boolean;
  readonly lost: Promise<MLContextLostInfo>;
  createTensor(descriptor: MLTensorDescriptor): Promise<MLTensor>;
  createConstantTensor(
    descriptor: MLOperandDescriptor, inputData: AllowSharedBufferSource): Promise<MLTensor>;
  readTensor(tensor: MLTensor): Promise<ArrayBuffer>;
  readTensor(tensor: MLTensor, outputData: AllowSharedBufferSource): Promise<undefined>;
  writeTensor(tensor: MLTensor, inputData: AllowSharedBufferSource): undefined;
  dispatch(graph: MLGraph, inputs: MLNamedTensors, outputs: MLNamedTensors): undefined;
  /**
   * An extension: the median microseconds of each step of MLGraph.report() over `runs` runs on zeros
   * (50; 1 to 1,000,000), measured after the work that was queued before.
   */
  profile(graph: MLGraph, runs?: number): Promise<number[]>;
  /**
   * An extension: the graph of a model in a file or in memory, of any format that modelFormats()
   * lists, imported and built with the inputs and outputs of the file in its order. A .webnnc file,
   * which MLGraph.save() or the command `webnn compile` has written on a machine of the same kind,
   * for the same backends, is not compiled again; with verify 'full' the checksums of its large
   * weights are compared, too. Weights of a file are mapped: it must not be changed as long as the
   * graph lives.
   */
  loadGraph(
    source: string | AllowSharedBufferSource,
    options?: MLImportOptions & { verify?: 'small' | 'full' }): Promise<MLGraph>;
  /**
   * An extension: joins the states of several sequences into one tensor, which has them one after the
   * other along dimension 0. A dispatch that gets this tensor as the input and as the output of a
   * growing state adds to each state its row of the result. The states also remain separate tensors.
   */
  joinStates(states: Iterable<MLTensor>): MLTensor;
  /**
   * An extension: new states with the rows that these states have now. Where the system can do so,
   * both share the memory of equal rows until one of them is changed.
   */
  forkStates(states: Iterable<MLTensor>): MLTensor[];
  /**
   * An extension: the graph, of a context with keepConstants, with quantized products, convolutions
   * and what lies between them, built in this context, and what became of its operators. The scales
   * follow from the samples, each of which has the values of all inputs of one run; with `dynamic` no
   * samples are needed.
   */
  quantize(
    graph: MLGraph, samples?: Iterable<MLCalibrationSample>,
    options?: MLQuantizationOptions): Promise<MLQuantizedGraph>;
  opSupportLimits(): MLOpSupportLimits;
  destroy(): undefined;
  compute(graph: MLGraph, inputs: MLNamedArrayBufferViews, outputs: MLNamedArrayBufferViews):
    Promise<{ inputs: MLNamedArrayBufferViews; outputs: MLNamedArrayBufferViews }>;
  computeSync(
    graph: MLGraph, inputs: MLNamedArrayBufferViews, outputs: MLNamedArrayBufferViews): undefined;
}

/** A sample gives the shape of an input with open dimensions. */
export type MLCalibrationSample =
  Record<string, AllowSharedBufferSource | { data: AllowSharedBufferSource; shape?: Iterable<number> }>;

export interface MLQuantizationOptions {
  /**
   * Whether inputs of products and convolutions are quantized by their range in each run; false by
   * default.
   */
  dynamic?: boolean;
  /** Whether weights have a scale for each output channel; false by default. */
  perChannel?: boolean;
  activations?: 'uint8' | 'int8';
  /** The type of weights; 'int8', the default, has the zero point 0. */
  weights?: 'int8' | 'uint8';
  /** Whether the zero point of activations is in the middle; false by default. */
  symmetric?: boolean;
  /** Whether weights have only 7 bits, for runtimes whose sums saturate; false by default. */
  reduceRange?: boolean;
  calibration?: 'min-max' | 'percentile' | 'entropy';
  /**
   * The percentage of the elements that are in the range, above 50 and at most 100; 99.99 by default.
   */
  percentile?: number;
  /** The only kinds of operators that are quantized, such as 'conv2d'. */
  operators?: Iterable<string>;
  /** The names, in the report, of operators that stay in float. */
  keepFloat?: Iterable<string>;
  /** Operators whose own ratio of signal to noise, in dB, is lower stay in float. */
  minSnr?: number;
  /** The number of operators with the lowest ratios that stay in float; 0 by default. */
  worstInFloat?: number;
  /**
   * A function that is called between runs of samples; `total` is 0 in the first pass. An error that
   * it throws ends the work.
   */
  progress?: (stage: 'calibration' | 'measurement', done: number, total: number) => void;
}

/** Ratios of signal to noise in dB: Infinity where nothing differs, NaN where nothing was measured. */
export interface MLQuantizedGraph {
  graph: MLGraph;
  operators: {
    name: string; kind: string; quantized: boolean;
    ownSnr: number; networkSnr: number; weightsSnr: number;
  }[];
  outputs: { name: string; snr: number; maxError: number }[];
  samples: number;
}

export class MLGraph {
  private constructor();
  destroy(): undefined;
  /**
   * An extension: a table of the steps of the compiled graph, with the kernel that runs each of them
   * and why the other backends do not. It shows `microseconds`, one number for each step, as measured
   * by MLContext.profile().
   */
  explain(microseconds?: Iterable<number>): string;
  /** An extension: the content of explain() as data. */
  report(): GraphReport;
  /**
   * The shapes of the outputs in a run with these shapes of the inputs. Inputs without open
   * dimensions may be left out.
   */
  computeShapes(inputs: Record<string, Iterable<number>>): Record<string, number[]>;
  /**
   * An extension: prepares runs with these shapes of the inputs, which otherwise the first such run
   * does. It resolves to the graph of these sizes alone, which can run and be explained and profiled
   * like any other.
   */
  prepare(inputs: Record<string, Iterable<number>>): Promise<MLGraph>;
  /**
   * An extension: a tensor of zeros for a state of the graph (MLGraphBuilder.update()), by the name
   * of its input. A state that grows has memory for its bound, and a dispatch that gets it as the
   * input and the output makes it longer: its shape is the one that the next run sees. The argument
   * `shape` is needed if dimensions other than the growing one are open.
   */
  createState(input: string, shape?: Iterable<number>): Promise<MLTensor>;
  /**
   * An extension: sets the states that the graph keeps (MLGraphBuilder.keepState()) to their initial
   * values after the runs that are already queued.
   */
  resetStates(): undefined;
  /**
   * An extension: writes the graph with its kernels and packed weights to a .webnnc file, for
   * MLContext.loadGraph(). The file is replaced when all of its bytes are written.
   */
  save(path: string): Promise<undefined>;
  /**
   * An extension: writes the graph as it was built, in the format of the option or of the extension
   * of the path; weights that the format keeps in another file are written beside it. The context of
   * the graph must have the option keepConstants.
   */
  exportModel(path: string, options?: { format?: string }): Promise<undefined>;
  /** The bytes of the file that exportModel() would write, with the weights in it. */
  exportedBytes(format: string): Promise<Uint8Array>;
  /** An extension: the inputs by name, in their order, with the names of open dimensions. */
  readonly inputs: Map<string, { dataType: MLOperandDataType; shape: (number | string)[] }>;
  /**
   * An extension: the outputs by name, in their order. The shape is null if even the rank is open.
   */
  readonly outputs: Map<string, { dataType: MLOperandDataType; shape: (number | string)[] | null }>;
}

export interface MLModelFormat {
  name: string;
  about: string;
  /** In lower case, without the dot. */
  extensions: string[];
  imports: boolean;
  exports: boolean;
}

/** An option that the format of a file does not have is a TypeError. */
export interface MLImportOptions {
  /** The name of the format; by default the extension or the content decides. */
  format?: string;
  /** The sizes of dimensions that have a name in the file. */
  dimensions?: Record<string, number>;
  /** The shapes of inputs whose dimensions the file leaves open, by name. */
  shapes?: Record<string, Iterable<number>>;
  /** Values of inputs, by name, which become constants if shapes follow from them. */
  values?: Record<string, { shape: Iterable<number>; data: AllowSharedBufferSource }>;
  /** Names of values in the file that become the outputs. */
  outputs?: Iterable<string>;
  /** The key of a signature of a .tflite file, or the method of an ExecuTorch program. */
  signature?: string;
  /** The index of a subgraph of a .tflite file. */
  subgraph?: number;
  /** The .safetensors file with the weights of a .webnn or .json file, if it is not beside that. */
  weights?: string;
  /**
   * The limit of the memory that is not shared with the file, in bytes; 0: the limit of the format.
   */
  maxBytes?: number;
}

/** What importModel() has added to a builder. The maps have the order of the file. */
export interface MLImportedModel {
  format: string;
  description: string;
  inputs: Map<string, MLOperand>;
  outputs: Map<string, MLOperand>;
  /**
   * The scales and zero points of quantized inputs. The value of an element q is
   * scale * (q - zeroPoint).
   */
  inputQuantization: Map<string, { scale: number; zeroPoint: number }>;
  outputQuantization: Map<string, { scale: number; zeroPoint: number }>;
}

/** An extension: the plan of a compiled graph. Sizes are bytes. */
export interface GraphReport {
  /** The steps in the order in which they run. Operators that move no data have no step. */
  steps: StepReport[];
  /** The passes that ran, in their order. */
  passes: PassReport[];
  /** The size of all intermediate results together. */
  arena: number;
  /** The largest size that is in use at one time. */
  arenaAtLeast: number;
  /** The size of the weights that kernels hold. */
  packed: number;
  /** The size of the memory that each thread needs. */
  scratch: number;
  /** The number of threads that work on a run. */
  threads: number;
  /**
   * The number of threads that was asked for; it is more than `threads` if the system did not start
   * them all.
   */
  threadsAsked: number;
  /** The milliseconds that it took to compile the graph. */
  buildMs: number;
}
export interface StepReport {
  /** The operators that one kernel runs: one operator, or several fused ones. */
  operators: OperatorReport[];
  backend: string;
  kernel: string;
  /** The parts into which threads divide the step. */
  tiles: number;
  packed: number;
  /** The reasons why the other backends do not run it: 'onednn: only float32'. */
  others: string[];
}
/** An operator of the graph after the passes. */
export interface OperatorReport {
  name: string;
  /** The label that the caller gave, or an empty string. */
  label: string;
  inputs: { dataType: MLOperandDataType; shape: number[] }[];
  outputs: { dataType: MLOperandDataType; shape: number[] }[];
}
/** The number of operators before and after a pass. */
export interface PassReport {
  name: string;
  before: number;
  after: number;
}

export class MLOperand {
  private constructor();
  readonly dataType: MLOperandDataType;
  /** The sizes, and the names of open dimensions; null if even the rank is open. */
  readonly shape: readonly (number | string)[] | null;
}

/** An extension. */
export interface MLBuildOptions {
  /**
   * The inputs of the graph in their order, including those that no output needs, which dispatch()
   * may be given or not. By default, the inputs are those that the outputs need.
   */
  inputs?: MLOperand[];
}

/** The result of a builder's method of the 2023 draft that is called without an operand. */
export class MLActivation {
  private constructor();
}

export class MLTensor {
  private constructor();
  readonly dataType: MLOperandDataType;
  readonly shape: readonly number[];
  readonly readable: boolean;
  readonly writable: boolean;
  readonly constant: boolean;
  /** An extension: the bound of the dimension along which a state grows; 0 for other tensors. */
  readonly capacity: number;
  /**
   * An extension: sets the size of the dimension along which a state grows. 0 empties the state, a
   * smaller size keeps its first rows, and rows that are added are zero.
   */
  resize(size: number): undefined;
  destroy(): undefined;
}

/** `{ float: 1 }` is a number that is not an integer, whatever its value is. */
export type MLCustomValue =
  | boolean | number | bigint | string | (number | bigint)[] | string[]
  | { float: number | number[] };
/**
 * `data` is a typed array of the data type: a Uint16Array for bfloat16, and for float16 where there
 * is no Float16Array; a Uint8Array for float8e4m3.
 */
export interface MLCustomTensor {
  dataType: MLOperandDataType;
  shape: number[];
  data: ArrayBufferView;
}
export interface MLCustomDefinition {
  /**
   * Returns the data types and shapes of the results, which depend only on those of the operands, on
   * the attributes, and on the `data` of constants. With open dimensions it is called for many sizes.
   */
  infer(
    inputs: (Omit<MLCustomTensor, 'data'> & { data?: ArrayBufferView })[],
    attributes: Record<string, any>): MLOperandDescriptor[];
  /**
   * Writes the data of the outputs, which are zeros at first. Its arguments are copies, and it must
   * not be async.
   */
  compute(
    inputs: MLCustomTensor[], outputs: MLCustomTensor[], attributes: Record<string, any>): void;
  /** All attributes with their defaults; an attribute whose default is null has to be given. */
  attributes?: Record<string, MLCustomValue | null>;
  /** The version of the meaning that the name has in files; at least 1, the default. */
  version?: number;
  /** Whether equal operands always give equal results; true by default. */
  pure?: boolean;
  /** Whether two runs must not compute it at the same time; false by default. */
  exclusive?: boolean;
}
/**
 * An extension: an operator that is a function of JavaScript. It runs on the thread of JavaScript
 * that made it, while the context's thread waits. So a run makes progress only if the thread of
 * JavaScript returns to its event loop, or waits in computeSync(). Its functions must use neither a
 * context nor a builder. Graphs of other threads of JavaScript cannot have it.
 */
export class MLCustomOperator {
  /** Letters, digits, `_`, `-`, `.` and `:`. In .onnx files the part before the last dot is the domain. */
  constructor(name: string, definition: MLCustomDefinition);
  readonly name: string;
  readonly version: number;
}

export class MLGraphBuilder {
  constructor(context: MLContext);
  input(name: string, descriptor: MLInputOperandDescriptor | MLOperandDescriptor2023): MLOperand;
  constant(
    descriptor: MLOperandDescriptor | MLOperandDescriptor2023,
    buffer: AllowSharedBufferSource): MLOperand;
  constant(dataType: MLOperandDataType, value: MLNumber): MLOperand;
  constant(tensor: MLTensor): MLOperand;
  constant(value: MLNumber, type?: MLOperandDataType): MLOperand;
  /**
   * An extension: declares that stateOut is the input stateIn after a run, for example a cache with a
   * new row. A dispatch may then be given one tensor for both, and writes only what changes, where it
   * can. One open dimension with a bound may differ: the state grows along it, and
   * MLGraph.createState() makes its tensor.
   */
  update(stateIn: MLOperand, stateOut: MLOperand): undefined;
  /**
   * An extension: declares a state, update(), that the graph keeps. A run that is given neither its
   * input nor its output reads what the run before it has left; the first one reads `initial`, the
   * elements of stateIn, or zeros.
   */
  keepState(stateIn: MLOperand, stateOut: MLOperand, initial?: AllowSharedBufferSource): undefined;
  /**
   * An extension: the results of a custom operator, which is given itself, or by its name if it is
   * one of the context's. The options are its attributes, and `label`.
   */
  custom(
    operator: MLCustomOperator | string, inputs: MLOperand[],
    options?: Record<string, MLCustomValue>): MLOperand[];
  /**
   * An extension: declares the caches of a decoder that importModel() has read as states, update(),
   * by the names that exporters give them, such as past_key_values.0.key and present.0.key. maxSize
   * becomes the bound of the dimension along which they grow, unless it has a smaller one. Returns
   * their names, in the order of the inputs. Throws a TypeError where there are none.
   */
  updateCaches(
    inputs: Map<string, MLOperand> | MLNamedOperands,
    outputs: Map<string, MLOperand> | MLNamedOperands, maxSize: number): MLCacheNames[];
  build(outputs: MLNamedOperands, options?: MLBuildOptions): Promise<MLGraph>;
  buildSync(outputs: MLNamedOperands, options?: MLBuildOptions): MLGraph;
  /**
   * An extension: adds the operators of a model in a file or in memory.
   * `build(Object.fromEntries(model.outputs), { inputs: [...model.inputs.values()] })` keeps the
   * order of its inputs and outputs.
   */
  importModel(
    source: string | AllowSharedBufferSource, options?: MLImportOptions): Promise<MLImportedModel>;

  // @operators
}

export interface MLOpSupportLimits {
  preferredInputLayout: MLInputOperandLayout;
  maxTensorByteLength: number;
  input: MLTensorLimits;
  constant: MLTensorLimits;
  output: MLTensorLimits;
  // @limits
}

/**
 * An extension: language models, from a file to text. In a build without them, functions fail with
 * NotSupportedError.
 */
export namespace lm {
  interface LoadOptions {
  // @lmLoadOptions
  }
  interface GenerateOptions {
  // @lmGenerateOptions
    /** Ends a generation that is under way: the iterator throws the reason of the signal. */
    signal?: AbortSignal;
  }
  interface SamplingOptions {
  // @lmSamplingOptions
  }
  interface EncodeOptions {
  // @lmEncodeOptions
  }
  interface DecodeOptions {
  // @lmDecodeOptions
  }
  interface ChatOptions {
  // @lmChatOptions
  }
  /** A message of a conversation; further members, such as tool_calls, are for the template. */
  interface Message {
    role: string;
    content?: string | object[] | null;
    [member: string]: unknown;
  }
  interface ModelInfo {
    architecture: string;
    name: string;
    layers: number;
    width: number;
    heads: number;
    keyHeads: number;
    headSize: number;
    vocabulary: number;
    contextLength: number;
    /** The number of tokens that a cache can hold; 0: the model has no cache. */
    capacity: number;
    parameters: number;
    /** The tensors of each type, and what they became. */
    weights: {
      stored: string; kept: string; tensors: number; storedBytes: number; keptBytes: number;
    }[];
  }
  interface Report {
    promptTokens: number;
    /** The number of tokens of the prompt that were in the cache. */
    cachedTokens: number;
    /** The number of tokens that were generated, including the one that ended the text. */
    tokens: number;
    /** The time until the logits of the first token were computed. */
    promptSeconds: number;
    /** The time after that in which tokens were computed. */
    seconds: number;
    /** The speed for the tokens of the prompt that were not in the cache. */
    promptTokensPerSecond: number;
    /** The speed for the tokens after the first one, which follows from the prompt. */
    tokensPerSecond: number;
    /**
     * 'none': it has not ended; 'end': a token of the model ended it; 'stop': a text or token of the
     * options ended it; 'length': maxTokens; 'capacity': the cache is full; 'canceled': it has left a
     * batch.
     */
    finishReason: 'none' | 'end' | 'stop' | 'length' | 'capacity' | 'canceled';
  }
  interface TokenProbability {
    token: number;
    /** The natural logarithm of the probability, from the logits as the model gives them. */
    logProbability: number;
  }

  /** A token that was chosen, and the most probable ones, the best first. */
  type Sample = TokenProbability & { best: TokenProbability[] };

  /**
   * Loads a .gguf file or a folder of Hugging Face. Without a context, the options are also those of
   * ml.createContext(). Rejects with DataError for a file that is broken or not there, with
   * NotSupportedError, which names the feature, for a model with a feature that is not supported, and
   * with TypeError for wrong options.
   */
  function load(path: string, options?: LoadOptions & { context: MLContext }): Promise<Model>;
  function load(path: string, options?: LoadOptions & MLContextOptions): Promise<Model>;

  class Model {
    private constructor();
    readonly info: ModelInfo;
    readonly hasTokenizer: boolean;
    /** Throws InvalidStateError if the files have none. */
    readonly tokenizer: Tokenizer;
    /** The tokens that end a text. */
    readonly endTokens: number[];
    /** The graph for prompts and steps. */
    readonly graph: MLGraph;
    /**
     * Generates the text that follows a prompt, which is a string or tokens. Options that are not
     * given are those of generation_config.json. What the cache has in common with the beginning of
     * the prompt is not computed again; without a cache, the cache of an earlier call is used if no
     * other call uses it. The iterator throws TypeError for a prompt without tokens, for one that is
     * too long for the cache, and for wrong options, and InvalidStateError for a model that does not
     * generate.
     */
    generate(
      prompt: string | Iterable<number>, options?: GenerateOptions & { cache?: Cache }): Generation;
    /**
     * A Batch for prompts whose texts are generated together, at most `sequences` at once, which is 8
     * by default. Throws InvalidStateError for a model that does not generate.
     */
    batch(options?: { sequences?: number }): Batch;
    /** The texts that follow all prompts, in their order, generated together. */
    generateAll(
      prompts: Iterable<string | Iterable<number>>, options?: GenerateOptions & { sequences?: number }
    ): Promise<{ text: string; tokens: number[]; samples: Sample[]; report: Report }[]>;
    /** A conversation that begins with these messages. Throws InvalidStateError without a template. */
    chat(messages?: Iterable<Message>, options?: ChatOptions): Chat;
    /** An empty cache. Throws InvalidStateError for a model that does not generate. */
    cache(): Cache;
    /**
     * Reads the file that Cache.save() wrote. Rejects with DataError for any other file, and for the
     * file of another model.
     */
    loadCache(path: string): Promise<Cache>;
    /**
     * Adds tokens to those of the cache. Resolves to the logits of the token that follows each of the
     * last `rows` of them, 1 by default, one after the other.
     */
    evaluate(cache: Cache, tokens: Iterable<number>, rows?: number): Promise<Float32Array>;
    /** A vector for each text, of length 1 if the model says so. */
    embed(texts: Iterable<string>): Promise<Float32Array[]>;
    embed(text: string): Promise<Float32Array>;
    /** The vector of tokens, which include those that the model expects around a text. */
    embedTokens(tokens: Iterable<number>): Promise<Float32Array>;
  }

  /** Pieces of text: whole characters, not empty, each computed when it is asked for. */
  class Generation implements AsyncIterableIterator<string> {
    private constructor();
    next(): Promise<IteratorResult<string>>;
    return(value?: any): Promise<IteratorResult<string>>;
    throw(error?: any): Promise<IteratorResult<string>>;
    [Symbol.asyncIterator](): this;
    /** All remaining pieces in one text. */
    rest(): Promise<string>;
    /** The tokens that were generated so far. */
    readonly tokens: number[];
    /** The same tokens with their probabilities, if logProbabilities is not 0; else empty. */
    readonly samples: Sample[];
    readonly report: Report;
  }

  /**
   * Sequences that are generated together: a step computes the next token of all of them. When one
   * ends, the next prompt that waits takes its place. No bit of a text depends on the other
   * sequences.
   */
  class Batch implements AsyncIterable<{ sequence: number; text: string }> {
    private constructor();
    /**
     * Adds a prompt, which begins as soon as there is room. Returns its number: 0 for the first one.
     * The batch reads a fork of the cache, and does not compute again what the cache has in common
     * with the beginning of the prompt. Throws what Model.generate() throws.
     */
    add(
      prompt: string | Iterable<number>,
      options?: Omit<GenerateOptions, 'signal'> & { cache?: Cache }): number;
    /** Removes the sequence from the batch before the next step. */
    cancel(sequence: number): void;
    /**
     * The next piece of any sequence, or null when all have ended. Rejects with the error that ends a
     * sequence; the others go on. If it rejects with the reason of the signal, it has ended a step,
     * which can be tried again.
     */
    next(options?: { signal?: AbortSignal }): Promise<{ sequence: number; text: string } | null>;
    /** All pieces, until all sequences have ended. */
    [Symbol.asyncIterator](): AsyncIterator<{ sequence: number; text: string }>;
    /** The number of prompts that were added. */
    readonly size: number;
    /** The number of sequences that have begun and have not ended. */
    readonly running: number;
    /** The number of prompts that have not begun. */
    readonly waiting: number;
    /** All pieces of a sequence so far. Throws TypeError for a number that no prompt has. */
    text(sequence: number): string;
    tokens(sequence: number): number[];
    samples(sequence: number): Sample[];
    report(sequence: number): Report;
    /** Forgets the text and the tokens of a sequence that has ended. */
    forget(sequence: number): void;
  }

  /** A conversation. Its cache holds what was said, so a turn computes only what is new. */
  class Chat {
    private constructor();
    /**
     * The answer to a message of the user, which then becomes a message of the assistant. If the
     * conversation leaves less room in the cache than the answer may take (maxTokens, but at most a
     * quarter of the cache), the oldest messages are left out until half of the cache is free, except
     * those of the system at the beginning.
     */
    send(content: string, options?: GenerateOptions): Generation;
    /** The messages of the conversation so far. */
    readonly messages: Message[];
    /** The number of messages after those of the system that the last answer was computed without. */
    readonly forgotten: number;
  }

  /** The keys and values of the tokens of one sequence. */
  class Cache {
    private constructor();
    readonly size: number;
    readonly capacity: number;
    readonly tokens: number[];
    /** Keeps the first `size` tokens. */
    trim(size: number): void;
    /** Another cache with the same tokens. */
    fork(): Promise<Cache>;
    save(path: string): Promise<void>;
  }

  class Tokenizer {
    private constructor();
    /** Reads a tokenizer.json, a folder that has it, or a .gguf file. */
    static open(path: string): Promise<Tokenizer>;
    /** Reads the texts of tokenizer.json and tokenizer_config.json. */
    static fromJson(tokenizer: string, config?: string): Tokenizer;
    encode(text: string, options?: EncodeOptions): number[];
    decode(tokens: Iterable<number>, options?: DecodeOptions): string;
    /** One more than the greatest token. */
    readonly size: number;
    /** The token as the file writes it. */
    textOf(token: number): string;
    find(text: string): number | null;
    isSpecial(token: number): boolean;
    readonly bos: number | null;
    readonly eos: number | null;
    readonly unk: number | null;
    readonly pad: number | null;
    /** The model's template for conversations; empty if the file has none. */
    readonly chatTemplate: string;
    /** Encode the text with addSpecial: false. */
    applyChatTemplate(messages: Iterable<Message>, options?: ChatOptions): string;
  }

  /** Decodes tokens as they come. A character whose bytes are in several tokens comes as a whole. */
  class TokenStream {
    constructor(tokenizer: Tokenizer, options?: DecodeOptions);
    put(token: number): string;
    finish(): string;
  }

  /** A template in Jinja, in the subset that the files of models use. */
  class ChatTemplate {
    constructor(text: string);
    apply(messages: Iterable<Message>, options?: ChatOptions): string;
  }

  /** Chooses tokens, one after the other. */
  class Sampler {
    constructor(options?: SamplingOptions);
    sample(
      logits: Float32Array, before?: Iterable<number>,
      options?: { allowed?: Iterable<boolean> }): Sample;
  }
}

export const ml: ML;
export default ml;
