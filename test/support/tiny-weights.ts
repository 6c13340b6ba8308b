import type { EncoderShape } from "../../src/models/embed/minilm/network.ts";

/** For tests: an encoder with as much of everything as shows what goes where. */
export const tinyShape: EncoderShape = {
  vocabulary: 7,
  positions: 5,
  hidden: 4,
  heads: 2,
  layers: 2,
  intermediate: 6,
};

export interface RawTensor {
  dtype: string;
  shape: readonly number[];
  bytes: Buffer;
}

/** A safetensors file of these tensors. */
export function safetensorsOf(tensors: Readonly<Record<string, RawTensor>>): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let end = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [end, end + bytes.length] };
    end += bytes.length;
  }
  return fileOf(JSON.stringify(header), ...Object.values(tensors).map(({ bytes }) => bytes));
}

/** A file with this header, whatever it says. */
export function fileOf(header: string, ...data: readonly Buffer[]): Buffer {
  const json = Buffer.from(header);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...data]);
}

/** Bits of half-precision numbers between 1/64 and 1/2, of both signs: none is zero, infinite or no number. */
function halfTensor(shape: readonly number[], seed: number): RawTensor {
  const count = shape.reduce((product, length) => product * length, 1);
  const bytes = Buffer.alloc(count * 2);
  let state = seed;
  for (let i = 0; i < count; i++) {
    // A linear congruential generator (Numerical Recipes).
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const exponent = 9 + ((state >>> 26) % 5);
    bytes.writeUInt16LE(((state >>> 16) & 0x83ff) | (exponent << 10), i * 2);
  }
  return { dtype: "F16", shape, bytes };
}

/** The weights of an encoder, arbitrary but always the same. */
export function weightsOf(shape: EncoderShape): Buffer {
  const { vocabulary, positions, hidden, layers, intermediate } = shape;
  const shapes: Record<string, readonly number[]> = {
    "embeddings.word_embeddings.weight": [vocabulary, hidden],
    "embeddings.position_embeddings.weight": [positions, hidden],
    "embeddings.token_type_embeddings.weight": [2, hidden],
  };
  const norm = (name: string): void => {
    shapes[`${name}.weight`] = [hidden];
    shapes[`${name}.bias`] = [hidden];
  };
  const linear = (name: string, outputs: number, inputs: number): void => {
    shapes[`${name}.weight`] = [outputs, inputs];
    shapes[`${name}.bias`] = [outputs];
  };
  norm("embeddings.LayerNorm");
  for (let i = 0; i < layers; i++) {
    const layer = `encoder.layer.${i}`;
    for (const part of ["query", "key", "value"]) linear(`${layer}.attention.self.${part}`, hidden, hidden);
    linear(`${layer}.attention.output.dense`, hidden, hidden);
    norm(`${layer}.attention.output.LayerNorm`);
    linear(`${layer}.intermediate.dense`, intermediate, hidden);
    linear(`${layer}.output.dense`, hidden, intermediate);
    norm(`${layer}.output.LayerNorm`);
  }
  const tensors = Object.entries(shapes).map(
    ([name, lengths], i) => [name, halfTensor(lengths, i + 1)] as const,
  );
  return safetensorsOf(Object.fromEntries(tensors));
}
