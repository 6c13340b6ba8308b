/** For tests: reads protocol-buffer messages and the parts of an ONNX model, written apart from what writes them. */

/** The values of a message by field number, in order: numbers (varints, as signed 64 bits) or bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

export function readMessage(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error("the message is cut off");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = take(1)[0]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag % 8;
    const values = fields.get(tag >> 3) ?? [];
    fields.set(tag >> 3, values);
    if (type === 0) values.push(varint());
    else if (type === 2) values.push(take(Number(varint())));
    else if (type === 5) values.push(take(4));
    else throw new Error(`wire type ${type}`);
  }
  return fields;
}

interface ReadNode {
  operator: string;
  name: string;
  inputs: string[];
  outputs: string[];
  /** Numbers, or the bytes of a float. */
  attributes: Record<string, number | number[]>;
}

interface ReadTensor {
  shape: number[];
  values: number[];
}

export interface ReadModel {
  irVersion: number;
  /** Version by domain. */
  opsets: Record<string, number>;
  nodes: ReadNode[];
  tensors: Map<string, ReadTensor>;
  inputs: Record<string, string>;
  outputs: Record<string, string>;
}

/** By the field numbers of onnx.proto3. */
export function readModel(bytes: Uint8Array): ReadModel {
  const model = readMessage(Buffer.from(bytes));
  const graph = messages(model, 7)[0]!;
  const opsets = messages(model, 8).map((opset) => [text(opset, 1), integer(opset, 2)] as const);
  return {
    irVersion: integer(model, 1),
    opsets: Object.fromEntries(opsets),
    nodes: messages(graph, 1).map(readNode),
    tensors: new Map(messages(graph, 5).map((tensor) => [text(tensor, 8), readTensor(tensor)])),
    inputs: Object.fromEntries(messages(graph, 11).map((value) => [text(value, 1), typeOf(value)])),
    outputs: Object.fromEntries(messages(graph, 12).map((value) => [text(value, 1), typeOf(value)])),
  };
}

function readNode(node: Fields): ReadNode {
  const attributes = messages(node, 5).map((attribute) => {
    const type = integer(attribute, 20);
    const value =
      type === 1
        ? (attribute.get(2)![0] as Buffer).readFloatLE(0)
        : type === 2
          ? integer(attribute, 3)
          : (attribute.get(8) ?? []).map(Number);
    return [text(attribute, 1), value] as const;
  });
  const texts = (field: number): string[] => (node.get(field) ?? []).map(String);
  return {
    operator: text(node, 4),
    name: text(node, 3),
    inputs: texts(1),
    outputs: texts(2),
    attributes: Object.fromEntries(attributes),
  };
}

function readTensor(tensor: Fields): ReadTensor {
  const raw = tensor.get(9)![0] as Buffer;
  const type = integer(tensor, 2);
  const size = { 1: 4, 3: 1, 7: 8 }[type]!;
  const values = Array.from({ length: raw.length / size }, (_, i) => {
    if (type === 1) return raw.readFloatLE(i * size);
    if (type === 3) return raw.readInt8(i);
    return Number(raw.readBigInt64LE(i * size));
  });
  return { shape: (tensor.get(1) ?? []).map(Number), values };
}

/** "int32[tokens]", "float[384]" */
function typeOf(value: Fields): string {
  const tensor = messages(messages(value, 2)[0]!, 1)[0]!;
  const names: Record<number, string> = { 1: "float", 3: "int8", 6: "int32", 7: "int64" };
  const dims = messages(messages(tensor, 2)[0]!, 1).map((dim) =>
    dim.has(2) ? text(dim, 2) : integer(dim, 1),
  );
  return `${names[integer(tensor, 1)]}[${dims.join()}]`;
}

function messages(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).map((value) => readMessage(value as Buffer));
}

function integer(fields: Fields, field: number): number {
  return Number(fields.get(field)?.[0] ?? 0);
}

function text(fields: Fields, field: number): string {
  return String(fields.get(field)?.[0] ?? "");
}
