/**
 * Writes one protocol-buffer message (https://protobuf.dev/programming-guides/encoding/): as much of the format as
 * an ONNX model needs. Bytes are kept by reference and joined at the end.
 */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** An int32, int64, enum or bool. */
  integer(field: number, value: number): this {
    this.#tag(field, wireType.varint);
    return this.#varint(value);
  }

  float(field: number, value: number): this {
    this.#tag(field, wireType.fixed32);
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#raw(bytes);
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, wireType.lengthDelimited);
    this.#varint(value.length);
    return this.#raw(value);
  }

  string(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  message(field: number, value: MessageWriter): this {
    this.#tag(field, wireType.lengthDelimited);
    this.#varint(value.#length);
    for (const part of value.#parts) this.#raw(part);
    return this;
  }

  finish(): Uint8Array {
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  /** Seven bits a byte, lowest first; negative numbers as 64 bits of two's complement. */
  #varint(value: number): this {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    return this.#raw(Uint8Array.from(bytes));
  }

  #raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}

const wireType = { varint: 0, lengthDelimited: 2, fixed32: 5 } as const;
const encoder = new TextEncoder();
