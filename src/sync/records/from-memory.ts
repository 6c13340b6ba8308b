import { createLedger } from "../../redact/ledger.ts";
import { type ScrubText, scrubValue } from "../../redact/scrub-value.ts";
import { chunkOptionsFor } from "../../sessions/chunks/rechunk.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { annotationByUid } from "../../store/memory/chunks/annotations.ts";
import { attributionsOf } from "../../store/memory/commits/attributions.ts";
import { checkpointByUid } from "../../store/memory/commits/checkpoints.ts";
import { commitByHash } from "../../store/memory/commits/commits.ts";
import { eventByUid, linksOf } from "../../store/memory/events.ts";
import type { AttributionRecord, CommitRecord } from "../../store/memory/git-records.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { secretsOf } from "../../store/memory/privacy/secrets.ts";
import { sessionById, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { summariesOf } from "../../store/memory/sessions/summaries.ts";
import { linesByTurn, usageByTurn } from "../../store/memory/sync.ts";
import { portableLines, withoutHome } from "./portable.ts";
import type {
  SharedAnnotation,
  SharedAttribution,
  SharedCheckpoint,
  SharedCommit,
  SharedEvent,
  SharedLine,
  SharedSession,
  SharedTurn,
} from "./records.ts";

/** How what is stored is told to others. */
export interface ExportWork {
  work: ScrubbingWork;
  /** Whether texts go through the scrubber in force once more. */
  filter: boolean;
}

/** Cleans the texts of a session (by row), or of what belongs to none. */
export function redactorFor({ work, filter }: ExportWork, sessionId: number | null = null): ScrubText {
  const homeless = withoutHome();
  if (!filter) return homeless;
  const known = sessionId === null ? [] : secretsOf(work.memory, sessionId);
  const ledger = createLedger(work.ledgerKey, known);
  return (text, name) => homeless(work.scrubber.scrub(text, ledger, name));
}

const orNull = (text: string | null, clean: ScrubText) => (text === null ? null : clean(text));

/** A session without its turns; null when there is nothing of it to share. */
export function exportSession(exportWork: ExportWork, uid: string): SharedSession | null {
  const { memory } = exportWork.work;
  const session = sessionByUid(memory, uid);
  // Pommel's own session only holds chunks of notes from a shell.
  if (session === null || session.agent === "pommel") return null;
  const clean = redactorFor(exportWork, session.id);
  const summaries = summariesOf(memory, session.id);
  const uidOf = (id: number | null) => (id === null ? null : (sessionById(memory, id)?.uid ?? null));
  return {
    uid,
    agent: session.agent,
    parent: uidOf(session.parentId),
    parent_tool_use: session.parentToolUse,
    agent_type: session.agentType,
    forked_from: uidOf(session.forkedFrom),
    title: orNull(session.title, clean),
    title_source: session.titleSource,
    title_at: session.title === null ? null : session.lastAt,
    cwd: clean(session.cwd),
    branch: orNull(session.branch, clean),
    started_at: session.startedAt,
    last_at: session.lastAt,
    ended_at: session.endedAt,
    end_reason: session.endReason,
    summaries: summaries.flatMap(({ source, upToTurn, at, model, text }) =>
      source === "extractive" ? [] : [{ source, up_to_turn: upToTurn, at, model, text: clean(text) }],
    ),
  };
}

/** The turns of a session that are stored, one at a time. */
export function* exportTurns(
  exportWork: ExportWork,
  session: SessionRecord,
  range: { first?: number; last?: number } = {},
): Generator<SharedTurn, void, undefined> {
  const { memory } = exportWork.work;
  const clean = redactorFor(exportWork, session.id);
  const { relativize } = chunkOptionsFor(exportWork.work, session);
  const silent = linesByTurn(memory, session.id);
  const usage = usageByTurn(memory, session.id);
  for (const { record, ...turn } of storedTurns(memory, session.id, range)) {
    const lines = portableLines(turn.lines, relativize, clean);
    const said = new Set(lines.map(({ uid }) => uid));
    yield {
      id: lines.find(({ uid }) => uid !== null)?.uid ?? `#${turn.number}`,
      number: turn.number,
      branch: orNull(record.branch, clean),
      abandoned: record.abandoned,
      lines: lines as unknown as SharedLine[],
      also: Object.fromEntries((silent.get(turn.number) ?? []).filter(([uid]) => !said.has(uid))),
      usage: (usage.get(turn.number) ?? []).map(({ messageUid, model, input, output, ...cache }) => ({
        message: messageUid,
        model,
        input,
        output,
        cache_read: cache.cacheRead,
        cache_write: cache.cacheWrite,
      })),
    };
  }
}

export function exportAnnotation(exportWork: ExportWork, uid: string): SharedAnnotation | null {
  const { memory } = exportWork.work;
  const note = annotationByUid(memory, uid);
  if (note === null) return null;
  const session = note.sessionUid === null ? null : sessionByUid(memory, note.sessionUid);
  const clean = redactorFor(exportWork, session?.id ?? null);
  return {
    uid,
    session: note.sessionUid,
    turn: note.turn,
    line: note.lineUid,
    at: note.at,
    source: note.source,
    branch: orNull(note.branch, clean),
    note: clean(note.note),
  };
}

function exportCommit(commit: CommitRecord): SharedCommit {
  return {
    hash: commit.hash,
    tree: commit.tree,
    parents: commit.parents,
    branch: commit.branch,
    author: commit.author,
    authored_at: commit.authoredAt,
    committed_at: commit.committedAt,
    subject: commit.subject,
    patch_id: commit.patchId,
    rewritten_from: commit.rewrittenFrom,
    insertions: commit.insertions,
    deletions: commit.deletions,
  };
}

export function exportCheckpoint(exportWork: ExportWork, uid: string): SharedCheckpoint | null {
  const checkpoint = checkpointByUid(exportWork.work.memory, uid);
  if (checkpoint === null) return null;
  return {
    uid,
    commit: exportCommit(checkpoint.commit),
    parent: checkpoint.parentUid,
    agent_state: scrubValue(checkpoint.agentState, redactorFor(exportWork)),
    created_at: checkpoint.createdAt,
    sessions: checkpoint.sessions.map(({ sessionUid, ...binding }) => ({ session: sessionUid, ...binding })),
  };
}

/** Who wrote the lines of a commit; null where nobody knows of any. */
export function exportAttribution(exportWork: ExportWork, hash: string): SharedAttribution | null {
  const { memory } = exportWork.work;
  const commit = commitByHash(memory, hash);
  const ranges = commit === null ? [] : attributionsOf(memory, commit.id);
  if (commit === null || ranges.every(({ author }) => author === "unknown")) return null;
  const files = new Map<string, SharedAttribution["files"][string]>();
  for (const { path, ...range } of ranges) files.set(path, [...(files.get(path) ?? []), exportRange(range)]);
  return { commit: exportCommit(commit), version: commit.attributed, files: Object.fromEntries(files) };
}

function exportRange(range: Omit<AttributionRecord, "path">): SharedAttribution["files"][string][number] {
  const { firstLine, lastLine, sessionUid, toolUse, ...rest } = range;
  return { first: firstLine, last: lastLine, session: sessionUid, tool_use: toolUse, ...rest };
}

export function exportEvent(exportWork: ExportWork, uid: string): SharedEvent | null {
  const { memory } = exportWork.work;
  const event = eventByUid(memory, uid);
  if (event === null) return null;
  const clean = redactorFor(exportWork);
  return {
    uid,
    title: clean(event.title),
    description: clean(event.description),
    type: event.type,
    status: event.status,
    branch: orNull(event.branch, clean),
    starts_at: event.startsAt,
    ends_at: event.endsAt,
    created_at: event.createdAt,
    updated_at: event.updatedAt,
    links: linksOf(memory, uid).map(({ kind, targetUid, addedAt, removedAt }) => ({
      kind,
      target: targetUid,
      added_at: addedAt,
      removed_at: removedAt,
    })),
  };
}
