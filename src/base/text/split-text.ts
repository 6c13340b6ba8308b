import { trimToWholeCharacters } from "./text-size.ts";

/** A block of a text that stays in one piece if it fits, and the separator of its parts. */
interface TextBlock {
  text: string;
  /** Between it and the block before. */
  joint: string;
}

const fence = /^\s{0,3}(`{3,}|~{3,})/;

/** Paragraphs, and blocks of code whole, however many empty lines are in them. */
function splitParagraphs(text: string): string[] {
  const found: string[] = [];
  let lines: string[] = [];
  let open: string | null = null;
  const close = (): void => {
    if (lines.length > 0) found.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark = fence.exec(line)?.[1];
    if (open !== null) {
      lines.push(line);
      if (mark?.startsWith(open) && line.trim() === mark) {
        open = null;
        close();
      }
    } else if (mark !== undefined) {
      close();
      open = mark;
      lines.push(line);
    } else if (line.trim() === "") close();
    else lines.push(line);
  }
  close();
  return found;
}

const sentenceEnd = /(?<=[.!?。！？:;])\s+/;

/** Finer and finer ways to take a text apart; what a step gives is joined with its joint. */
const steps: { joint: string; parts: (text: string) => string[] }[] = [
  { joint: "\n\n", parts: splitParagraphs },
  { joint: "\n", parts: (text) => text.split("\n") },
  { joint: " ", parts: (text) => text.split(sentenceEnd) },
  { joint: " ", parts: (text) => text.split(/\s+/) },
];

/** A run without blanks, cut by length. */
function cut(run: string, most: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < run.length; ) {
    const piece = trimToWholeCharacters(run.slice(at, at + most)) || run.slice(at, at + most);
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}

function splitIntoBlocks(text: string, most: number, step = 0): TextBlock[] {
  const way = steps[step];
  if (way === undefined) return cut(text, most).map((piece) => ({ text: piece, joint: "" }));
  return way
    .parts(text)
    .filter((part) => part.trim() !== "")
    .flatMap((part) => {
      const blocks =
        part.length <= most ? [{ text: part, joint: "" }] : splitIntoBlocks(part, most, step + 1);
      return blocks.map((block, i) => (i === 0 ? { ...block, joint: way.joint } : block));
    });
}

/**
 * A text in pieces of up to `most` characters and about the same length, taken apart between paragraphs, else
 * between lines, sentences, words. A block of code is one piece where it fits. No word is lost; a word is cut only if
 * it is longer than `most`.
 */
export function splitText(text: string, most: number): string[] {
  if (text.length <= most) return text.trim() === "" ? [] : [text];
  const fair = Math.ceil(text.length / Math.ceil(text.length / most));
  const pieces: string[] = [];
  let piece = "";
  for (const block of splitIntoBlocks(text, most)) {
    const longer = piece.length + block.joint.length + block.text.length;
    if (piece === "") piece = block.text;
    // A little above average is better than an almost empty last piece.
    else if (longer > most || piece.length >= fair) {
      pieces.push(piece);
      piece = block.text;
    } else piece += block.joint + block.text;
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}
