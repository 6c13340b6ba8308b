import * as z from "zod/mini";

const tensorInfo = z.object({
  dtype: z.string(),
  shape: z.array(z.int().check(z.nonnegative())),
  data_offsets: z.tuple([z.int().check(z.nonnegative()), z.int().check(z.nonnegative())]),
});
const header = z.record(z.string(), z.unknown());

/** The length of the header comes first, as a 64-bit little-endian number. */
const lengthBytes = 8;

/**
 * Reads tensors out of a safetensors file (https://github.com/huggingface/safetensors): a JSON header that says
 * where each one lies, then their bytes. Only float16 and float32 tensors can be taken; others may be there.
 */
export class Safetensors {
  readonly #infos: Record<string, unknown>;
  readonly #data: Buffer;

  /** @throws Error when the bytes are no such file or are cut off */
  constructor(bytes: Buffer) {
    const headerLength = bytes.length < lengthBytes ? -1n : bytes.readBigUInt64LE(0);
    if (headerLength < 0n || headerLength > BigInt(bytes.length - lengthBytes)) {
      throw new Error("not a safetensors file: it is shorter than its header");
    }
    const dataStart = lengthBytes + Number(headerLength);
    this.#infos = parseHeader(bytes.toString("utf8", lengthBytes, dataStart));
    this.#data = bytes.subarray(dataStart);
  }

  /**
   * The elements of a tensor, widened to float32, row-major.
   * @param shape the shape it must have
   * @throws Error when the tensor is missing, of another shape or type, or lies outside the file
   */
  tensor(name: string, shape: readonly number[]): Float32Array {
    const info = tensorInfo.safeParse(Object.hasOwn(this.#infos, name) ? this.#infos[name] : undefined);
    if (!info.success) throw new Error(`the weights hold no tensor ${name}`);
    const { dtype, shape: found, data_offsets } = info.data;
    if (found.length !== shape.length || found.some((length, axis) => length !== shape[axis])) {
      throw new Error(`tensor ${name} is ${found.join("x")}, not ${shape.join("x")}`);
    }
    const [start, end] = data_offsets;
    const count = shape.reduce((product, length) => product * length, 1);
    const size = dtype === "F16" ? 2 : dtype === "F32" ? 4 : 0;
    if (size === 0) throw new Error(`tensor ${name} is of type ${dtype}, not F16 or F32`);
    if (end - start !== count * size || end > this.#data.length) {
      throw new Error(`tensor ${name} is cut off`);
    }
    const bytes = this.#data.subarray(start, end);
    return size === 2 ? widen(bytes) : floats(bytes);
  }
}

function parseHeader(json: string): Record<string, unknown> {
  try {
    return header.parse(JSON.parse(json));
  } catch (cause) {
    throw new Error("not a safetensors file: its header is not JSON", { cause });
  }
}

function floats(bytes: Buffer): Float32Array {
  const values = new Float32Array(bytes.length / 4);
  for (let i = 0; i < values.length; i++) values[i] = bytes.readFloatLE(i * 4);
  return values;
}

function widen(bytes: Buffer): Float32Array {
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) values[i] = halves[bytes[2 * i]! | (bytes[2 * i + 1]! << 8)]!;
  return values;
}

/** What each 16 bits of IEEE 754 half precision mean: sign, 5 bits of exponent, 10 of fraction. */
const halves = Float32Array.from({ length: 0x10000 }, (_, half) => {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = (half & 1023) / 1024;
  if (exponent === 0) return sign * fraction * 2 ** -14;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction) * 2 ** (exponent - 15);
});
