import { growMemory, makeMemory, startKernel } from "../kernel.ts";

/**
 * Cuts texts into runs of word characters: letters and digits of ASCII, `$`, `_`, and everything beyond ASCII. Most runs in code
 * were met before, so each gets a number, under which its reader keeps what it made of it.
 */
export interface Runs {
  /** The runs of a text in their order: numbers, valid until the next part is asked for, or one that is too long to be kept. */
  read(text: string): Iterable<Uint32Array | string>;
}

/** What is told before the numbers are. */
export interface RunReader {
  /** A new run; the first is number 0, and the next one number 1. */
  met(run: string): void;
  /** There is no more room: numbers begin with 0 again. */
  forgotten(): void;
}

/** Runs that are known at most, and bytes that they have. */
export const mostRuns = 50_000;
export const bytesOfRuns = 1_250_000;
const slots = 131_072;
/** Numbers in a part. */
const mostFound = 4096;

/** What kernel/runs.ts exports; see there. */
export interface RunKernel {
  numberRuns(table: number, text: number, length: number, at: number): number;
}

/** In a memory of its own. */
export function createRuns(reader: RunReader): Runs {
  const memory = makeMemory(0);
  return makeRuns(startKernel<RunKernel>(memory), { memory, base: 0 }, reader);
}

/** Places in a table of kernel/runs.ts, and how many it has. */
const [known, stopped, longEnd, places] = [5, 9, 10, 11];

/**
 * In a memory from an address on: a table, and behind it the text at hand.
 * @param base a multiple of 4; nothing else may lie behind it
 */
export function makeRuns(
  wasm: RunKernel,
  { memory, base }: { memory: WebAssembly.Memory; base: number },
  reader: RunReader,
): Runs {
  const slotsAt = base + 64;
  const hashesAt = slotsAt + slots * 4;
  const beginsAt = hashesAt + mostRuns * 4;
  const bytesAt = beginsAt + (mostRuns + 1) * 4;
  const foundAt = bytesAt + bytesOfRuns;
  const textAt = foundAt + mostFound * 4;
  growMemory(memory, textAt);
  const views = () => ({
    bytes: Buffer.from(memory.buffer),
    table: new Uint32Array(memory.buffer, base, places),
    begins: new Uint32Array(memory.buffer, beginsAt, mostRuns + 1),
  });
  let { bytes, table, begins } = views();
  table.set([slotsAt, slots - 1, hashesAt, beginsAt, foundAt, 0, mostRuns, foundAt, mostFound]);
  begins[0] = bytesAt;

  const forget = () => {
    table[known] = 0;
    new Uint32Array(memory.buffer, slotsAt, slots).fill(0);
    reader.forgotten();
  };
  return {
    *read(text) {
      growMemory(memory, textAt + text.length * 3);
      if (bytes.buffer !== memory.buffer) ({ bytes, table, begins } = views());
      const length = bytes.write(text, textAt);
      for (let at = 0; at < length; ) {
        const before = table[known]!;
        const found = wasm.numberRuns(base, textAt, length, at);
        for (let run = before; run < table[known]!; run++)
          reader.met(bytes.toString("utf8", begins[run], begins[run + 1]));
        at = table[stopped]!;
        if (found > 0) yield new Uint32Array(memory.buffer, foundAt, found);
        if (table[longEnd]! > 0) {
          yield bytes.toString("utf8", textAt + at, textAt + table[longEnd]!);
          at = table[longEnd]!;
        } else if (at < length && found < mostFound) forget();
      }
    },
  };
}

/** Without numbers. */
export function* splitRuns(text: string): Generator<string> {
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && isWordCharacter(text.charCodeAt(i))) {
      if (start < 0) start = i;
    } else if (start >= 0) {
      yield text.slice(start, i);
      start = -1;
    }
  }
}

function isWordCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 36 ||
    code === 95 ||
    code > 127
  );
}
