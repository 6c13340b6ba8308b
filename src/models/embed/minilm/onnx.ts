import { MessageWriter } from "./protobuf.ts";

/** Element types of tensors, by their numbers in ONNX. */
export const elementType = { float: 1, int8: 3, int32: 6, int64: 7 } as const;
export type ElementType = keyof typeof elementType;

/** Whole numbers, lists of them; `float(x)` for floating point, which ONNX keeps apart. */
export type Attribute = number | readonly number[] | FloatAttribute;

interface FloatAttribute {
  float: number;
}

/** A length, or the name of one that is known only when the model runs. */
export type Dimension = number | string;

/** Field numbers of the messages in onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3). */
const field = {
  model: { irVersion: 1, producerName: 2, graph: 7, opsetImport: 8 },
  opset: { domain: 1, version: 2 },
  graph: { node: 1, name: 2, initializer: 5, input: 11, output: 12 },
  node: { input: 1, output: 2, name: 3, opType: 4, attribute: 5 },
  attribute: { name: 1, float: 2, int: 3, ints: 8, type: 20 },
  tensor: { dims: 1, dataType: 2, name: 8, rawData: 9 },
  valueInfo: { name: 1, type: 2 },
  type: { tensorType: 1 },
  tensorType: { elementType: 1, shape: 2 },
  shape: { dim: 1 },
  dimension: { value: 1, param: 2 },
} as const;
const attributeType = { float: 1, int: 2, ints: 7 } as const;

/** IR version 9 goes with opset 20, which brought Gelu; ONNX Runtime reads it since 1.17. */
const irVersion = 9;
const opsetVersion = 20;

/** Builds an ONNX model of operators of the standard set. Values are named; a node's result is named after it. */
export class OnnxGraph {
  readonly #nodes: MessageWriter[] = [];
  readonly #initializers: MessageWriter[] = [];
  readonly #inputs: MessageWriter[] = [];
  readonly #outputs: MessageWriter[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): string {
    this.#inputs.push(valueInfo(name, type, shape));
    return name;
  }

  /** Makes the value of that name a result of the model. */
  output(name: string, type: ElementType, shape: readonly Dimension[]): void {
    this.#outputs.push(valueInfo(name, type, shape));
  }

  floats(name: string, shape: readonly number[], values: Float32Array | readonly number[]): string {
    return this.#initializer(name, "float", shape, Float32Array.from(values));
  }

  int8s(name: string, shape: readonly number[], values: Int8Array): string {
    return this.#initializer(name, "int8", shape, values);
  }

  /** A list of whole numbers: a shape, axes, lengths. */
  integers(name: string, values: readonly number[]): string {
    return this.#initializer(name, "int64", [values.length], BigInt64Array.from(values, BigInt));
  }

  /** Adds a node with one result, and returns the result's name. */
  node(
    name: string,
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    this.nodeOf([name], operator, inputs, attributes);
    return name;
  }

  /** Adds a node with several results, named as given. */
  nodeOf(
    outputs: readonly string[],
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): void {
    const node = new MessageWriter();
    for (const input of inputs) node.string(field.node.input, input);
    for (const output of outputs) node.string(field.node.output, output);
    node.string(field.node.name, outputs[0]!).string(field.node.opType, operator);
    for (const [name, value] of Object.entries(attributes)) {
      node.message(field.node.attribute, attributeOf(name, value));
    }
    this.#nodes.push(node);
  }

  /** The bytes of an .onnx file. */
  model(): Uint8Array {
    const graph = new MessageWriter();
    for (const node of this.#nodes) graph.message(field.graph.node, node);
    graph.string(field.graph.name, this.#name);
    for (const tensor of this.#initializers) graph.message(field.graph.initializer, tensor);
    for (const input of this.#inputs) graph.message(field.graph.input, input);
    for (const output of this.#outputs) graph.message(field.graph.output, output);
    const opset = new MessageWriter()
      .string(field.opset.domain, "")
      .integer(field.opset.version, opsetVersion);
    return new MessageWriter()
      .integer(field.model.irVersion, irVersion)
      .string(field.model.producerName, "pommel")
      .message(field.model.graph, graph)
      .message(field.model.opsetImport, opset)
      .finish();
  }

  #initializer(
    name: string,
    type: ElementType,
    shape: readonly number[],
    values: Float32Array | Int8Array | BigInt64Array,
  ): string {
    const tensor = new MessageWriter();
    for (const length of shape) tensor.integer(field.tensor.dims, length);
    tensor.integer(field.tensor.dataType, elementType[type]).string(field.tensor.name, name);
    // Typed arrays lie in memory as the machine has it: little-endian, as ONNX wants, wherever Node runs today.
    tensor.bytes(field.tensor.rawData, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#initializers.push(tensor);
    return name;
  }
}

function attributeOf(name: string, value: Attribute): MessageWriter {
  const attribute = new MessageWriter().string(field.attribute.name, name);
  if (typeof value === "number") {
    return attribute.integer(field.attribute.int, value).integer(field.attribute.type, attributeType.int);
  }
  if ("float" in value) {
    return attribute
      .float(field.attribute.float, value.float)
      .integer(field.attribute.type, attributeType.float);
  }
  for (const one of value) attribute.integer(field.attribute.ints, one);
  return attribute.integer(field.attribute.type, attributeType.ints);
}

function valueInfo(name: string, type: ElementType, shape: readonly Dimension[]): MessageWriter {
  const dims = new MessageWriter();
  for (const length of shape) {
    const dimension = new MessageWriter();
    if (typeof length === "number") dimension.integer(field.dimension.value, length);
    else dimension.string(field.dimension.param, length);
    dims.message(field.shape.dim, dimension);
  }
  const tensorType = new MessageWriter()
    .integer(field.tensorType.elementType, elementType[type])
    .message(field.tensorType.shape, dims);
  const valueType = new MessageWriter().message(field.type.tensorType, tensorType);
  return new MessageWriter().string(field.valueInfo.name, name).message(field.valueInfo.type, valueType);
}
