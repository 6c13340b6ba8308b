import * as z from "zod/mini";
import { createLedger, scrubAlone } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readMetaValue } from "../../store/memory/meta-value.ts";
import { leaveNoTrace } from "../../store/memory/privacy/forget.ts";
import { listSessionIdsAfter, scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { listSecrets, saveSecrets } from "../../store/memory/privacy/secrets.ts";
import { findSessionById } from "../../store/memory/sessions/sessions.ts";
import { rechunkSession } from "../chunks/rechunk.ts";
import { storeSummaryChunks } from "../summaries/sum-up.ts";
import type { ScrubbingWork } from "../work.ts";
import { redactLooseNotes, redactWholeSession } from "./redact-session.ts";
import { redactCheckpoints, redactEvents } from "./redact-stored.ts";

/** Of `meta`: how far a scrubbing that is not finished has got. */
const cursorName = "scrub cursor";

const cursorShape = z.object({
  /** Of the rules. */
  version: z.string(),
  /** Row of the session that is being scrubbed; those before are done. */
  session: z.number(),
  /** Its first turn that was changed, whose chunks may still be the old ones. */
  firstChanged: z.nullable(z.number()),
  /** Something was found in the sessions that are done. */
  found: z.boolean(),
});
type RescrubCursor = z.infer<typeof cursorShape>;

export interface Rescrubbed {
  /** Sessions in which something was found, and turns; of a scrubbing that goes on: since it went on. */
  sessions: number;
  turns: number;
  /** false: another process was reading, and the database's log still holds traces until it is emptied. */
  isLogEmpty: boolean;
}

/**
 * Scrubs everything stored by the current rules, session by session. If stopped, the next call continues from there. At
 * the end the memory is marked as scrubbed by these rules, and the file holds no trace of the findings. Do not run it
 * while transcripts are read.
 * @param onProgress sessions done, and in all
 * @throws the signal's reason when it is aborted
 */
export async function rescrubMemory(
  work: ScrubbingWork,
  {
    signal,
    onProgress,
  }: {
    signal?: AbortSignal | undefined;
    onProgress?: ((done: number, total: number) => void) | undefined;
  } = {},
): Promise<Rescrubbed> {
  const { memory, scrubber, ledgerKey } = work;
  const { version } = scrubber;
  const cursor = await goOn(work, signal);
  const report: Rescrubbed = { sessions: 0, turns: 0, isLogEmpty: true };
  let { found } = cursor;
  const all = listSessionIdsAfter(memory, 0);
  const left = all.filter((id) => id >= cursor.session);
  for (const [i, id] of left.entries()) {
    signal?.throwIfAborted();
    onProgress?.(all.length - left.length + i, all.length);
    const ledger = createLedger(ledgerKey, listSecrets(memory, id));
    const foundBefore = found;
    const { turns, changed } = await redactWholeSession(work, id, {
      clean: (text, name) => scrubber.scrub(text, ledger, name),
      changedBefore: id === cursor.session ? cursor.firstChanged : null,
      also: (firstChanged) => {
        saveSecrets(memory, id, ledger.takeNew());
        const isFound = foundBefore || firstChanged !== null;
        writeCursor(memory, { version, session: id, firstChanged, found: isFound });
      },
      signal,
    });
    if (changed) report.sessions++;
    report.turns += turns;
    found ||= changed;
    writeCursor(memory, { version, session: id + 1, firstChanged: null, found });
  }
  const loose = createLedger(ledgerKey);
  if (redactLooseNotes(memory, (text, name) => scrubber.scrub(text, loose, name))) found = true;
  const alone = (text: string, name?: string) => scrubAlone(scrubber, text, name);
  if (await redactCheckpoints(memory, alone, signal)) found = true;
  if (redactEvents(memory, alone)) found = true;
  onProgress?.(all.length, all.length);
  if (found) report.isLogEmpty = leaveNoTrace(memory);
  memory.runInTransaction(() => {
    memory.setMeta(scrubbedBy, version);
    memory.setMeta(cursorName, null);
  });
  return report;
}

/** Where to go on; at the start when nothing was begun, or under other rules. */
async function goOn(work: ScrubbingWork, signal?: AbortSignal): Promise<RescrubCursor> {
  const { memory, scrubber } = work;
  const stored = readCursor(memory);
  if (stored?.version === scrubber.version) return stored;
  // Its turns are scrubbed by the other rules, its chunks may not be.
  const half = stored && stored.firstChanged !== null ? findSessionById(memory, stored.session) : null;
  if (stored && half) {
    await rechunkSession(work, half, stored.firstChanged ?? 0, { signal });
    await storeSummaryChunks(work, half, signal);
  }
  return { version: scrubber.version, session: 0, firstChanged: null, found: stored !== null };
}

const readCursor = (memory: Memory): RescrubCursor | null => readMetaValue(memory, cursorName, cursorShape);

function writeCursor(memory: Memory, cursor: RescrubCursor): void {
  memory.setMeta(cursorName, JSON.stringify(cursor));
}
