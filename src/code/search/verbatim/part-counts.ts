import { growMemory, makeMemory, readAheadBytes, startKernel } from "../../../base/kernel.ts";

/** How words of a question begin, or what the whole of them is: "retr" of "retry", "retries". Lower case. */
export interface SoughtPart {
  text: string;
  isWhole: boolean;
}

/**
 * How often bytes have each of some parts, wherever a part of a name begins: `HttpRetries` has "retr", `comet` has no "met".
 * Files are counted in without being decoded, at some gigabytes a second.
 */
export type PartCounts = (bytes: Uint8Array) => Uint32Array;

/** What kernel/texts.ts exports; see there. */
interface PartCountsExports {
  countParts(bytes: number, length: number, text: number, size: number, whole: number): number;
}

/** In WebAssembly, with the parts before the bytes in its memory. What it answers is of use until the next answer. */
export function createPartCounter(parts: readonly SoughtPart[]): PartCounts {
  const texts = parts.map(({ text, isWhole }) => ({ bytes: Buffer.from(text, "utf8"), isWhole }));
  const longest = Math.max(0, ...texts.map(({ bytes }) => bytes.length));
  const start = texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const memory = makeMemory(start + readAheadBytes);
  const wasm = startKernel<PartCountsExports>(memory);
  let all = Buffer.from(memory.buffer);
  let end = 0;
  const sought = texts.map(({ bytes, isWhole }) => {
    const at = end;
    all.set(bytes, at);
    end += bytes.length;
    return { at, size: bytes.length, whole: Number(isWhole) };
  });
  const counts = new Uint32Array(parts.length);
  return (bytes) => {
    const needed = start + bytes.length + longest + readAheadBytes;
    if (needed > memory.buffer.byteLength) {
      growMemory(memory, needed);
      all = Buffer.from(memory.buffer);
    }
    all.set(bytes, start);
    for (const [i, { at, size, whole }] of sought.entries())
      counts[i] = size === 0 ? 0 : wasm.countParts(start, bytes.length, at, size, whole);
    return counts;
  };
}
