// Workarounds for bugs of onnxruntime-web, which would look like bugs of libwebnn; `--as-is` turns
// them off.

/**
 * The WebNN provider asks for the attribute "linear_before_reset " of GRU, with a space at its end
 * (gru_op_builder.cc, releases up to 1.30), does not find it and builds every GRU with
 * resetAfter: false. This builds them as the model says.
 */
export function fixGru(MLGraphBuilder, model) {
  const linearBeforeReset = attribute(model, 'linear_before_reset');
  const { gru } = MLGraphBuilder.prototype;
  MLGraphBuilder.prototype.gru = function (...args) {
    const options = args.at(-1);
    return gru.call(this, ...args.slice(0, -1), { ...options, resetAfter: linearBeforeReset === 1 });
  };
}

/** The value of an integer attribute in the bytes of an ONNX model, where it occurs first. */
function attribute(model, name) {
  const at = Buffer.from(model.buffer, model.byteOffset, model.byteLength).indexOf(name);
  const [field, value] = at < 0 ? [] : model.subarray(at + name.length);
  return field === 0x18 ? value : undefined;  // AttributeProto.i, a varint
}
