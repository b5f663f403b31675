// The Web Neural Network API: https://www.w3.org/TR/webnn/

export type MLOperandDataType =
  | 'float32' | 'float16' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'int8' | 'uint8'
  | 'int4' | 'uint4';
export type MLPowerPreference = 'default' | 'high-performance' | 'low-power';
export type MLInputOperandLayout = 'nchw' | 'nhwc';
export type MLNumber = number | bigint;
/** A buffer, or a view of one: a Uint8Array, or the typed array of the data type. */
export type AllowSharedBufferSource = ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

export interface MLContextOptions {
  // @contextOptions
}
export interface MLOperandDescriptor {
  dataType: MLOperandDataType;
  shape: Iterable<number>;
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
export type MLNamedArrayBufferViews = Record<string, ArrayBufferView>;

export class ML {
  private constructor();
  createContext(options?: MLContextOptions): Promise<MLContext>;
  createContextSync(options?: MLContextOptions): MLContext;
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
   * An extension: the graph of a .webnnc file, which MLGraph.save() or the command `webnn compile` has
   * written on such a machine, for the same backends. Its weights are mapped: the file must not be
   * changed as long as the graph lives. With verify 'full' the checksums of large weights are
   * compared, too.
   */
  loadGraph(path: string, options?: { verify?: 'small' | 'full' }): Promise<MLGraph>;
  opSupportLimits(): MLOpSupportLimits;
  destroy(): undefined;
  compute(graph: MLGraph, inputs: MLNamedArrayBufferViews, outputs: MLNamedArrayBufferViews):
    Promise<{ inputs: MLNamedArrayBufferViews; outputs: MLNamedArrayBufferViews }>;
  computeSync(
    graph: MLGraph, inputs: MLNamedArrayBufferViews, outputs: MLNamedArrayBufferViews): undefined;
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
  /** An extension: the same as data. */
  report(): GraphReport;
  /**
   * An extension: writes the graph with its kernels and packed weights to a .webnnc file, for
   * MLContext.loadGraph(). The file is replaced when all of its bytes are written.
   */
  save(path: string): Promise<undefined>;
}

/** An extension: the plan of a compiled graph. Sizes are bytes. */
export interface GraphReport {
  /** In the order in which they run. Operators that move no data have no step. */
  steps: StepReport[];
  /** Those that ran, in their order. */
  passes: PassReport[];
  /** The size of all intermediate results together. */
  arena: number;
  /** The most that is in use at one time. */
  arenaAtLeast: number;
  /** The size of the weights that kernels hold. */
  packed: number;
  /** What each thread needs. */
  scratch: number;
  /** That work on a run. */
  threads: number;
  /** More than `threads` when the system did not start them all. */
  threadsAsked: number;
  /** Milliseconds that the graph took to compile. */
  buildMs: number;
}
export interface StepReport {
  /** What one kernel runs: one operator, or several fused. */
  operators: OperatorReport[];
  backend: string;
  kernel: string;
  /** The parts into which threads divide the step. */
  tiles: number;
  packed: number;
  /** Why not the other backends: 'onednn: only float32'. */
  others: string[];
}
/** An operator of the graph after the passes. */
export interface OperatorReport {
  name: string;
  /** The caller's, or empty. */
  label: string;
  inputs: { dataType: MLOperandDataType; shape: number[] }[];
  outputs: { dataType: MLOperandDataType; shape: number[] }[];
}
/** How many operators a pass found, and how many it left. */
export interface PassReport {
  name: string;
  before: number;
  after: number;
}

export class MLOperand {
  private constructor();
  readonly dataType: MLOperandDataType;
  readonly shape: readonly number[];
}

/** An extension. */
export interface MLBuildOptions {
  /** The inputs of the graph in their order, also those that no output needs: these may be given to
   * dispatch() or left out. Without it, the inputs are those that the outputs need. */
  inputs?: MLOperand[];
}

/** What a builder's method of the 2023 draft makes that is called without an operand. */
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
  destroy(): undefined;
}

export class MLGraphBuilder {
  constructor(context: MLContext);
  input(name: string, descriptor: MLOperandDescriptor | MLOperandDescriptor2023): MLOperand;
  constant(
    descriptor: MLOperandDescriptor | MLOperandDescriptor2023,
    buffer: AllowSharedBufferSource): MLOperand;
  constant(dataType: MLOperandDataType, value: MLNumber): MLOperand;
  constant(tensor: MLTensor): MLOperand;
  constant(value: MLNumber, type?: MLOperandDataType): MLOperand;
  build(outputs: MLNamedOperands, options?: MLBuildOptions): Promise<MLGraph>;
  buildSync(outputs: MLNamedOperands, options?: MLBuildOptions): MLGraph;

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

export const ml: ML;
export default ml;
