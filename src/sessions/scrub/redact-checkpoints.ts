import { type ScrubText, scrubValue } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import {
  redactAgentState,
  redactCommit,
  type TextsOfCommit,
  textsOfCommits,
} from "../../store/memory/privacy/rewrite.ts";

/** Rows that are put in other words in one transaction. */
const batch = 500;

/**
 * Redacts what is stored of commits: subjects, authors and branches, and the state of agents when they were made.
 * @returns whether anything was changed
 * @throws the signal's reason when it is aborted
 */
export async function redactCheckpoints(
  memory: Memory,
  clean: ScrubText,
  signal?: AbortSignal,
): Promise<boolean> {
  let changed = false;
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const rows = textsOfCommits(memory, after, batch);
    const last = rows.at(-1);
    if (last === undefined) return changed;
    memory.inTransaction(() => {
      for (const row of rows) if (redactCheckpoint(memory, row, clean)) changed = true;
    });
    after = last.id;
    // Others wait for the process, and for the database, as well.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Hands over each text that `redactCheckpoints` would change. */
export function readCheckpointTexts(memory: Memory, look: (text: string) => void): void {
  const read: ScrubText = (text) => {
    look(text);
    return text;
  };
  for (let after = 0; ; ) {
    const rows = textsOfCommits(memory, after, batch);
    for (const { subject, author, branch, state } of rows) {
      scrubValue([subject, author, branch], read);
      if (state !== null) scrubValue(state, read);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function redactCheckpoint(
  memory: Memory,
  { id, subject, author, branch, state }: TextsOfCommit,
  clean: ScrubText,
): boolean {
  const texts = [subject, author, branch] as const;
  const cleanTexts = scrubValue(texts, clean);
  if (cleanTexts !== texts) {
    const [subject, author, branch] = cleanTexts;
    redactCommit(memory, id, { subject, author, branch });
  }
  const cleanState = scrubValue(state, clean);
  if (cleanState !== state) redactAgentState(memory, id, cleanState);
  return cleanTexts !== texts || cleanState !== state;
}
