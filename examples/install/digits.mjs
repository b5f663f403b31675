// Which digit is it? A network in an .onnx file reads a drawing of 8 x 8 pixels.
//   node digits.mjs MODEL.onnx
import { ml } from 'webnn-native';

const drawing = ['  -%+   ', '  %@*@- ', ' .@: #= ', ' =*  == ',
                 ' -=  =* ', ' =*  *= ', ' :%-+*  ', '  -%+   '].join('');
const shades = ' .:-=+*#%@';  // from paper to ink

const context = await ml.createContext();
const graph = await context.loadGraph(process.argv[2]);
const pixels = await context.createTensor(
  { dataType: 'uint8', shape: [1, 1, 8, 8], writable: true });
const probabilities = await context.createTensor(
  { dataType: 'float32', shape: [1, 10], readable: true });
context.writeTensor(
  pixels, Uint8Array.from(drawing, (shade) => Math.floor(shades.indexOf(shade) * 16 / 9)));
context.dispatch(graph, { pixels }, { probabilities });
const values = new Float32Array(await context.readTensor(probabilities));
const best = values.indexOf(Math.max(...values));
console.log(`a ${best} with ${(100 * values[best]).toFixed(1)} %`);
