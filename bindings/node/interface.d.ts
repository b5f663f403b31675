// The Web Neural Network API: https://www.w3.org/TR/webnn/

export type MLOperandDataType =
  | 'float32' | 'float16' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'int8' | 'uint8'
  | 'int4' | 'uint4';
export type MLPowerPreference = 'default' | 'high-performance' | 'low-power';
export type MLInputOperandLayout = 'nchw' | 'nhwc';
export type MLNumber = number | bigint;
/** A buffer, or a view of one: Uint8Array, or the data type's own. */
export type AllowSharedBufferSource = ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

export interface MLContextOptions {
  powerPreference?: MLPowerPreference;
  accelerated?: boolean;
  /** The earlier way to say `accelerated`. */
  deviceType?: 'cpu' | 'gpu' | 'npu';
}
export interface MLOperandDescriptor {
  dataType: MLOperandDataType;
  shape: Iterable<number>;
}
/** The 2023 draft's. */
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
}

export class MLOperand {
  private constructor();
  readonly dataType: MLOperandDataType;
  readonly shape: readonly number[];
}

/** The 2023 draft's: what a method of a builder makes of nothing but options. */
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
  build(outputs: MLNamedOperands): Promise<MLGraph>;
  buildSync(outputs: MLNamedOperands): MLGraph;

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
