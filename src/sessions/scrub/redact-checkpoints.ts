import { type ScrubText, scrubValue } from "../../redact/scrub-value.ts";
import type { Memory } from "../../store/memory/memory.ts";

/** Rows that are put in other words in one transaction. */
const batch = 500;

/**
 * Puts what is stored of commits in other words: subjects, authors and branches, and what agents were at when they were
 * made.
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
    const rows = textsOfCommits(memory, after);
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
    const rows = textsOfCommits(memory, after);
    for (const { subject, author, branch, state } of rows) {
      scrubValue([subject, author, branch], read);
      if (state !== null) scrubValue(JSON.parse(state), read);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

interface Texts {
  id: number;
  subject: string;
  author: string;
  branch: string | null;
  /** JSON; null without a checkpoint. */
  state: string | null;
}

function textsOfCommits(memory: Memory, after: number): Texts[] {
  return memory
    .prepare(
      `SELECT id, subject, author, branch,
         (SELECT agent_state FROM checkpoints WHERE commit_id = commits.id) AS state
       FROM commits WHERE id > ? ORDER BY id LIMIT ${batch}`,
    )
    .all(after) as Texts[];
}

function redactCheckpoint(
  memory: Memory,
  { id, subject, author, branch, state }: Texts,
  clean: ScrubText,
): boolean {
  const before = [subject, author, branch];
  const after = scrubValue(before, clean);
  if (after !== before) {
    memory.prepare("UPDATE commits SET (subject, author, branch) = (?, ?, ?) WHERE id = ?").run(...after, id);
  }
  const known: unknown = state === null ? null : JSON.parse(state);
  const redacted = scrubValue(known, clean);
  if (redacted !== known) {
    memory
      .prepare("UPDATE checkpoints SET agent_state = ? WHERE commit_id = ?")
      .run(JSON.stringify(redacted), id);
  }
  return after !== before || redacted !== known;
}
