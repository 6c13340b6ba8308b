/** Lines and cutting by lines. Line numbers are 1-based, offsets are UTF-16 units. */

/** A part of a text, from `start` up to but not including `end`. */
export interface Range {
  start: number;
  end: number;
}

export class LineStarts {
  /** Offset at which each line starts. */
  readonly #starts: number[] = [0];
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) {
      if (i + 1 < text.length) this.#starts.push(i + 1);
    }
  }

  /** At least 1; a break at the end does not begin another line. */
  get count(): number {
    return this.#starts.length;
  }

  getLineStart(line: number): number {
    return this.#starts[line - 1]!;
  }

  /** Past the line's break. */
  getLineEnd(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  isBlank(line: number): boolean {
    return this.text.slice(this.getLineStart(line), this.getLineEnd(line)).trim() === "";
  }

  /** The line that holds an offset. */
  findLineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** The lines of a non-empty range; text after its last line's break does not count. */
  findLineSpan({ start, end }: Range): [first: number, last: number] {
    return [this.findLineAt(start), this.findLineAt(Math.max(start, end - 1))];
  }
}

/** A line at which a cut is possible; the shallowest one wins. */
export interface Border {
  line: number;
  depth: number;
}

interface WindowSize {
  /** Lines a window should have; the last one may have half as many more. */
  size: number;
  /** Lines of the previous window that a window may repeat. */
  overlap: number;
}

/** Where lines of plain text may be cut: anywhere, but better after a blank line. */
export function findTextBorders(lines: LineStarts, first: number, last: number): Border[] {
  const borders: Border[] = [];
  let afterBlank = false;
  for (let line = first; line <= last; line++) {
    const blank = lines.isBlank(line);
    if (!blank) borders.push({ line, depth: afterBlank ? 0 : 1 });
    afterBlank = blank;
  }
  return borders;
}

/**
 * Cuts the lines `first` to `last` into windows that start at borders. Greedy: a window ends before the shallowest,
 * then latest border in its second half. Without a border for two windows' lengths (data, a single huge expression) it
 * cuts anywhere.
 * @param borders ascending by line
 */
export function cutIntoWindows(
  first: number,
  last: number,
  borders: readonly Border[],
  { size, overlap }: WindowSize,
): [first: number, last: number][] {
  const windows: [number, number][] = [];
  let start = first;
  let next = 0;
  while (last - start + 1 > size * 1.5) {
    while (next < borders.length && borders[next]!.line <= start) next++;
    const cut = chooseCut(start, borders, next, size);
    if (cut > last) break;
    windows.push([start, cut - 1]);
    start = restart(start, cut, borders, next, overlap);
  }
  windows.push([start, last]);
  return windows;
}

function chooseCut(start: number, borders: readonly Border[], from: number, size: number): number {
  let best: Border | null = null;
  for (let i = from; i < borders.length; i++) {
    const border = borders[i]!;
    if (border.line > start + size) {
      best ??= border;
      break;
    }
    if (border.line < start + size / 2) continue;
    if (best === null || border.depth <= best.depth) best = border;
  }
  return best === null ? start + size : Math.min(best.line, start + 2 * size);
}

/** Where the window after a cut starts: at the earliest border among the lines that may be repeated. */
function restart(
  start: number,
  cut: number,
  borders: readonly Border[],
  from: number,
  overlap: number,
): number {
  for (let i = from; i < borders.length && borders[i]!.line < cut; i++) {
    const { line } = borders[i]!;
    if (line >= cut - overlap && line > start) return line;
  }
  return cut;
}
