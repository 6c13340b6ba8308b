import type { TranscriptEntry, TranscriptLine } from "../agent.ts";
import { bounds, boundText } from "./bounds.ts";

/** The lines and entries that adapters make. */

/** A line of which only this is known. */
export const makeTranscriptLine = (known: Partial<TranscriptLine>): TranscriptLine => ({
  uid: null,
  parentUid: null,
  at: null,
  cwd: null,
  branch: null,
  entries: [],
  usage: null,
  ...known,
});

/** The line of a session's title; none where it has none. */
export function makeTitleLines(title: string | null | undefined): TranscriptLine[] {
  const entries = makeTextEntries("title", title, 500);
  return entries.length === 0 ? [] : [makeTranscriptLine({ entries })];
}

type EntryTextKind = "text" | "thinking" | "notice" | "summary" | "title";

/** A text as an entry; none for a blank one. */
export function makeTextEntries<Kind extends EntryTextKind>(
  kind: Kind,
  written: string | null | undefined,
  max: number = bounds.text,
): { kind: Kind; text: string }[] {
  const text = boundText((written ?? "").trim(), max);
  return text === "" ? [] : [{ kind, text }];
}

/** A human's prompt; none for a blank one. */
export function makePromptEntries(
  written: string,
  images = 0,
): Extract<TranscriptEntry, { kind: "prompt" }>[] {
  const text = boundText(written.trim());
  return text === "" && images === 0 ? [] : [{ kind: "prompt", text, images }];
}

/** A branch as clients write it: "HEAD" means detached, or outside of git. */
export const parseBranch = (written: string | null | undefined) =>
  written && written !== "HEAD" ? written : null;

/** Ids of lines whose content may occur again: the second has a number. */
export class Occurrences {
  private readonly counts = new Map<string, number>();

  makeUniqueId(content: string): string {
    const before = this.counts.get(content) ?? 0;
    this.counts.set(content, before + 1);
    return before === 0 ? content : `${content}/${before}`;
  }
}

/** Adds to the count of a reason. */
export function countReason(counts: Record<string, number>, reason: string, n = 1): void {
  counts[reason] = (counts[reason] ?? 0) + n;
}
