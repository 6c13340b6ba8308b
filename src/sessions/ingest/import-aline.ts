import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AlineDatabase, AlineEvent, AlineSession } from "../../agents/aline/aline-database.ts";
import { makeTurnsAgent } from "../../agents/aline/turns-agent.ts";
import { wrapWithChecks } from "../../agents/reading/checked.ts";
import { defaultAgent as claude } from "../../agents/registry.ts";
import { eventStatuses, eventTypes } from "../../protocol/values.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { saveEvent, saveLink } from "../../store/memory/events.ts";
import type { EventRecord } from "../../store/memory/memory-records.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { listSummaries, saveSummary } from "../../store/memory/sessions/summaries.ts";
import { findLastTurnNumber, forgetTranscript } from "../../store/memory/sessions/transcripts.ts";
import { scrubLabel } from "../scrub/scrub-lines.ts";
import { sumUpSession } from "../summaries/sum-up.ts";
import type { ScrubbingWork } from "../work.ts";
import { ingestTranscript } from "./ingest.ts";

/** The outcome for a session. */
export interface AlineTaken {
  /** Nothing of it was new, or the user had forgotten it, or nothing can be read of it. */
  state: "new" | "known" | "forgotten" | "empty";
  /** The session's uid here; null if it is not stored here. */
  uid: string | null;
  chunks: number;
}

/**
 * The directory where a session was launched: from Aline, or from the first line of its transcript that has one; null
 * if neither does.
 */
export function findLaunchDirectory(db: AlineDatabase, session: AlineSession): string | null {
  if (session.workspace !== null) return session.workspace;
  for (const { content } of db.turns(session.id)) {
    for (const line of (content ?? "").split("\n")) {
      const cwd = /"cwd"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(line)?.[1];
      if (cwd !== undefined) return parseJsonText(cwd);
    }
  }
  return null;
}

function parseJsonText(json: string): string | null {
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}

/**
 * Imports a session whose transcript is gone, from the lines that Aline kept; if it kept none that can be read, from
 * the prompts and the subjects of the answers. Scrubbed like everything else. Importing it again changes nothing.
 */
export async function importAlineSession(
  work: ScrubbingWork,
  db: AlineDatabase,
  session: AlineSession,
  cwd: string,
  signal?: AbortSignal,
): Promise<AlineTaken> {
  const { memory } = work;
  if (isForgotten(memory, session.id)) return { state: "forgotten", uid: null, chunks: 0 };
  const dir = mkdtempSync(join(tmpdir(), "pommel-aline-"));
  const file = join(dir, `${session.id}.jsonl`);
  try {
    if (session.agent === "claude") {
      for (const { content } of db.turns(session.id)) {
        if (content !== null)
          appendFileSync(file, content.endsWith("\n") ? content : `${content}\n`, { mode: 0o600 });
      }
    }
    const described = session.agent === "claude" ? await describe(file) : null;
    const agent =
      described === null
        ? wrapWithChecks(makeTurnsAgent(session, cwd, () => db.turns(session.id)))
        : { ...claude, isForeign: true as const };
    const {
      session: uid,
      lines,
      chunks,
    } = await ingestTranscript({ ...work, agent }, file, signal ? { signal } : {});
    // The file will be deleted soon; its known lines are not stored again.
    forgetTranscript(memory, file);
    if (uid === null) return { state: "forgotten", uid: null, chunks: 0 };
    const hasTurns = findLastTurnNumber(memory, findSessionByUid(memory, uid)?.id ?? 0) !== null;
    if (!hasTurns) return { state: "empty", uid: null, chunks: 0 };
    const words = saveText(work, session, uid);
    if (lines === 0 && !words) return { state: "known", uid, chunks: 0 };
    await sumUpSession({ ...work, llm: null }, uid, { signal });
    return { state: "new", uid, chunks };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function describe(file: string) {
  try {
    return await claude.describe(file);
  } catch {
    // No turn had any content.
    return null;
  }
}

/**
 * Stores what a language model wrote about it for Aline: its title and its summary.
 * @returns whether any of it is new
 */
function saveText({ memory, scrubber }: ScrubbingWork, session: AlineSession, uid: string): boolean {
  const record = findSessionByUid(memory, uid);
  const upToTurn = record && findLastTurnNumber(memory, record.id);
  if (!record || upToTurn == null) return false;
  const scrub = (text: string) => scrubAlone(scrubber, text);
  if (session.title !== null) {
    const text = scrubLabel("title", session.title, scrub).slice(0, 200);
    const title = { text, source: "summary" as const };
    saveSession(memory, { uid, agent: record.agent, cwd: record.cwd, title });
  }
  if (session.summary === null) return false;
  const text = scrub(session.summary).slice(0, 20_000);
  const isKnown = listSummaries(memory, record.id).some((known) => known.text === text);
  if (isKnown) return false;
  const at = session.lastAt ?? record.lastAt ?? Date.now();
  saveSummary(memory, { sessionId: record.id, source: "llm", upToTurn, at, model: "aline", text });
  return true;
}

/**
 * Imports events with a known session or commit, with their links. The same event gets the same id on every machine; a
 * later version replaces an earlier one.
 * @param uids session uids by Aline's id, where they differ
 * @param commits checkpoints by commit hash; commits without one are left out
 * @returns how many there are
 */
export function importAlineEvents(
  { memory, scrubber }: ScrubbingWork,
  events: readonly AlineEvent[],
  uids: ReadonlyMap<string, string>,
  commits: ReadonlyMap<string, string>,
): number {
  let taken = 0;
  memory.runInTransaction(() => {
    for (const event of events) {
      const sessions = event.sessions
        .map(({ id, addedAt }) => ({ id: uids.get(id) ?? id, addedAt }))
        .filter(({ id }) => findSessionByUid(memory, id) !== null);
      const checkpoints = event.commits.flatMap((hash) => commits.get(hash) ?? []);
      if (sessions.length + checkpoints.length === 0 || event.title.trim() === "") continue;
      const scrub = (text: string) => scrubAlone(scrubber, text).trim();
      const record = convertAlineEvent(event, scrub);
      saveEvent(memory, record);
      const link = (kind: "session" | "checkpoint", targetUid: string, addedAt: number) =>
        saveLink(memory, { eventUid: record.uid, kind, targetUid, addedAt, removedAt: null });
      for (const { id, addedAt } of sessions) link("session", id, addedAt ?? record.createdAt);
      for (const uid of checkpoints) link("checkpoint", uid, record.createdAt);
      taken++;
    }
  });
  return taken;
}

function convertAlineEvent(event: AlineEvent, scrub: (text: string) => string): EventRecord {
  const { id, startsAt, endsAt, createdAt, updatedAt } = event;
  const known = eventTypes.find((type) => type === event.type) ?? "task";
  // A temporal event includes everything in its time; without a time it is a task.
  const isTemporal = known === "temporal" && (startsAt !== null || endsAt !== null);
  return {
    uid: createHash("sha256").update(`aline event ${id}`).digest("hex").slice(0, 12),
    title: scrubLabel("title", event.title, scrub).slice(0, 200),
    description: scrub(event.description ?? "").slice(0, 10_000),
    type: known === "temporal" && !isTemporal ? "task" : known,
    status: eventStatuses.find((status) => status === event.status) ?? "active",
    branch: null,
    startsAt: isTemporal ? startsAt : null,
    endsAt: isTemporal ? endsAt : null,
    createdAt: createdAt ?? startsAt ?? 0,
    updatedAt: updatedAt ?? createdAt ?? 0,
  };
}
