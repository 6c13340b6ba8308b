/** What is longer than the screen: only what is seen of it is laid out. */

/** A text in blocks, such as the turns of a session. Blocks are laid out when they come into sight. */
export interface ScrolledText {
  blocks: number;
  /** Its lines, at least one. */
  block(index: number): readonly string[];
}

/** What stands at the top of the screen. Beyond the end means: as far down as there is something to see. */
export interface ScrollPosition {
  block: number;
  line: number;
}

export const top: ScrollPosition = { block: 0, line: 0 };
export const bottom: ScrollPosition = { block: Number.POSITIVE_INFINITY, line: 0 };

/** The same place, or the last one that still fills the screen. */
export function clampPlace(document: ScrolledText, place: ScrollPosition, height: number): ScrollPosition {
  const end = findLastScreen(document, height);
  if (place.block > end.block || (place.block === end.block && place.line > end.line)) return end;
  const lines = document.block(place.block).length;
  return { block: place.block, line: Math.min(Math.max(place.line, 0), lines - 1) };
}

/** Where the last screen begins. */
function findLastScreen(document: ScrolledText, height: number): ScrollPosition {
  let left = height;
  for (let block = document.blocks - 1; block >= 0; block--) {
    const { length } = document.block(block);
    if (length >= left) return { block, line: length - left };
    left -= length;
  }
  return top;
}

/** So many lines further down, or up. */
export function movePlace(
  document: ScrolledText,
  from: ScrollPosition,
  lines: number,
  height: number,
): ScrollPosition {
  let { block, line } = clampPlace(document, from, height);
  line += lines;
  while (line < 0 && block > 0) {
    block--;
    line += document.block(block).length;
  }
  while (block < document.blocks - 1 && line >= document.block(block).length) {
    line -= document.block(block).length;
    block++;
  }
  return clampPlace(document, { block, line: Math.max(line, 0) }, height);
}

/** The lines in sight, and which blocks they are of. */
export function cutVisibleLines(
  document: ScrolledText,
  from: ScrollPosition,
  height: number,
): { lines: string[]; first: number; last: number } {
  const { block: first, line } = clampPlace(document, from, height);
  const lines: string[] = [];
  let block = first;
  for (; block < document.blocks && lines.length < height; block++)
    lines.push(...document.block(block).slice(block === first ? line : 0));
  return { lines: lines.slice(0, height), first, last: Math.max(block - 1, 0) };
}

/** Of a list of `count` rows the first in sight, so that the chosen one is seen and as little as possible moves. */
export function chooseFirstRow(at: number, before: number, count: number, rows: number): number {
  const most = Math.max(count - rows, 0);
  return Math.min(Math.max(before, at - rows + 1), at, most);
}
