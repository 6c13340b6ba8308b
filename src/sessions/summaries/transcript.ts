import { cutMiddle } from "../../agents/reading/bounds.ts";
import { shortenFlat } from "../../base/text/text-size.ts";
import type { Turn } from "../turn-content.ts";

/** Characters of one prompt, answer, tool use and error. */
const maxTextChars = { prompt: 3_000, answer: 2_000, command: 160, error: 240 } as const;
/** If not everything fits, this share of the text comes from the beginning of the session. */
const headShare = 0.4;

interface SummaryPiece {
  text: string;
  /** Prompts and answers come first, tool uses fill the remaining room. */
  isTool: boolean;
}

/**
 * A session for a model to read, up to `most` characters: the messages of both sides, tool uses in a line each. A
 * longer one loses tool uses first, then the middle. The turns are read once; memory is bounded by a few times `most`.
 */
export function condenseTranscript(turns: Iterable<Turn>, most: number): string {
  let head: SummaryPiece[] = [];
  let tail: SummaryPiece[] = [];
  let headSize = 0;
  let tailSize = 0;
  let left = 0;
  for (const turn of turns) {
    if (turn.abandoned) continue;
    for (const piece of listTranscriptPieces(turn)) {
      const size = piece.text.length + 1;
      // Tools are dropped later: more than fits is kept until the size of the messages is known.
      if (headSize + size <= most) {
        head.push(piece);
        headSize += size;
        continue;
      }
      tail.push(piece);
      tailSize += size;
      while (tailSize > 3 * most && tail.length > 1) {
        tailSize -= tail.shift()!.text.length + 1;
        left++;
      }
    }
  }
  if (left === 0 && headSize + tailSize <= most) return [...head, ...tail].map(({ text }) => text).join("\n");
  if (headSize + tailSize > most) {
    head = head.filter(({ isTool }) => !isTool);
    tail = tail.filter(({ isTool }) => !isTool);
  }
  const all = [...head, ...tail];
  if (left === 0 && measurePieces(all) <= most) return all.map(({ text }) => text).join("\n");
  return joinHeadAndTail(all, most);
}

const measurePieces = (pieces: readonly SummaryPiece[]): number =>
  pieces.reduce((sum, { text }) => sum + text.length + 1, 0);

const gap = "[... the middle of the session is left out ...]";

function joinHeadAndTail(pieces: readonly SummaryPiece[], most: number): string {
  const room = most - gap.length - 2;
  const first: string[] = [];
  const last: string[] = [];
  let used = 0;
  let from = 0;
  for (; from < pieces.length && used + pieces[from]!.text.length + 1 <= room * headShare; from++) {
    first.push(pieces[from]!.text);
    used += pieces[from]!.text.length + 1;
  }
  for (let at = pieces.length - 1; at >= from && used + pieces[at]!.text.length + 1 <= room; at--) {
    last.unshift(pieces[at]!.text);
    used += pieces[at]!.text.length + 1;
  }
  return cutMiddle([...first, gap, ...last].join("\n"), most).slice(0, most);
}

function* listTranscriptPieces({ lines }: Turn): Iterable<SummaryPiece> {
  for (const { entries } of lines) {
    for (const entry of entries) {
      if (entry.kind === "prompt") yield makeStatementPiece("USER", entry.text, maxTextChars.prompt);
      else if (entry.kind === "summary")
        yield makeStatementPiece("SUMMARY SO FAR", entry.text, 2 * maxTextChars.prompt);
      else if (entry.kind === "text" && entry.text.trim() !== "") {
        yield makeStatementPiece("ASSISTANT", entry.text, maxTextChars.answer);
      } else if (entry.kind === "tool_use") {
        yield { text: `[TOOL] ${entry.tool} ${describeToolInput(entry.input)}`.trimEnd(), isTool: true };
      } else if (entry.kind === "tool_result" && entry.isError) {
        yield { text: `[ERROR] ${shortenFlat(entry.text, maxTextChars.error)}`, isTool: true };
      }
    }
  }
}

function makeStatementPiece(who: string, text: string, most: number): SummaryPiece {
  return { text: `[${who}] ${cutMiddle(text.trim(), most)}`, isTool: false };
}

/** The text that identifies a tool use: its file, its command, or the first text of its input. */
function describeToolInput(input: Record<string, unknown>): string {
  const { file_path, command } = input;
  const named = [file_path, command].find((value) => typeof value === "string");
  const text = named ?? Object.values(input).find((value) => typeof value === "string");
  return typeof text === "string" ? shortenFlat(text, maxTextChars.command) : "";
}
