import { makeMemory, makeOnce, readAheadBytes, startKernel } from "../../../base/kernel.ts";

/** Finds line ends in bytes: of a file most lines are only counted. As in git and in the index, LF alone ends a line. */
export interface LineEnds {
  /** Where bytes of a file should be read to; what is there is of use until the next are. */
  room: Buffer;
  /** Where so many lines from `start` on end, their line ends included; -1 where there are not so many. */
  endOfLines(bytes: Buffer, start: number, lines: number): number;
}

/** Most files fit into it: to search a thousand, memory for each costs as much as reading it. */
const roomSize = 256 * 1024;

/** What kernel/texts.ts exports; see there. */
interface LineEndsExports {
  endOfLines(bytes: number, length: number, from: number, lines: number): number;
}

/** What is asked runs to its end, so one is enough. */
export const lineEnds = makeOnce(createLineEnds);

/** In WebAssembly, of bytes in its room. */
function createLineEnds(): LineEnds {
  const memory = makeMemory(roomSize + readAheadBytes);
  const wasm = startKernel<LineEndsExports>(memory);
  return {
    room: Buffer.from(memory.buffer, 0, roomSize),
    endOfLines(bytes, start, lines) {
      if (bytes.buffer !== memory.buffer) return endOfLines(bytes, start, lines);
      if (lines === 0) return start;
      return wasm.endOfLines(bytes.byteOffset, bytes.length, start, lines);
    },
  };
}

const lineFeed = 10;

function endOfLines(bytes: Uint8Array, start: number, lines: number): number {
  let at = start;
  // A call for each line would cost more than to look at each byte.
  for (let left = lines; left > 0; at++) {
    if (at === bytes.length) return -1;
    if (bytes[at] === lineFeed) left--;
  }
  return at;
}
