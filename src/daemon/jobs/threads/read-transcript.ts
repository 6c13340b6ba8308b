import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { findAgentByName, statTranscript } from "../../../agents/registry.ts";
import { makeVaultReader, releaseTranscript } from "../../../agents/vaulted.ts";
import { isCwdInProject } from "../../../git/projects/roots.ts";
import {
  type IngestOptions,
  type IngestResult,
  ingestTranscript,
  SharedLines,
} from "../../../sessions/ingest/ingest.ts";
import { sumUpSession } from "../../../sessions/summaries/sum-up.ts";
import type { ScrubbingWork } from "../../../sessions/work.ts";
import { hasEarlierTranscriptRunning, isReadBefore } from "../../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../../store/memory/jobs/jobs.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import { findSessionById } from "../../../store/memory/sessions/sessions.ts";
import { findTranscriptByPath } from "../../../store/memory/sessions/transcripts.ts";
import { isKeptApart } from "../../../store/vault/vault.ts";
import { Gone, type JobRun, NotYet } from "../do-job.ts";
import { askForHistory, askForLate } from "../git-jobs.ts";
import { askForSummary, priority, transcriptPayload } from "../session-requests.ts";

export interface ReadingWork extends ScrubbingWork {
  roots: readonly string[];
  /** Whether commits are linked to sessions. */
  bindsCommits: boolean;
  /** Whether a language model looks for secrets as well. */
  hasScrubbingModel: boolean;
}

/** Pause after the last unknown session was read. Milliseconds. */
const afterUnknownMs = 5000;
/** A session is summarized after this long without new lines. Milliseconds. */
const summariseAfterMs = 60_000;

/**
 * Imports the new lines of a transcript, and queues what follows from them.
 * @returns how many chunks it wrote
 */
export async function readTranscript(work: ReadingWork, job: JobRecord, run: JobRun): Promise<number> {
  const { memory, roots, log } = work;
  const path = job.subject;
  const asked = z.parse(transcriptPayload, job.payload);
  const agent = findAgentByName(asked.agent);
  if (!agent) throw new Error(`Unknown agent: ${asked.agent}.`);
  const known = findTranscriptByPath(memory, path);
  const stat = statTranscript(path);
  if (stat === null) {
    // A hook may name a file before its client writes it. But a past session, and a file that had a size, did exist.
    if (!known && (asked.is_import || job.total > 0))
      throw new Gone("its client deleted it before it was read");
    if (!known) throw new NotYet("The file does not exist yet.");
    log.info(`${path} is gone; what was imported stays`);
    return 0;
  }
  const { size } = stat;
  const info = await agent.describe(path);
  if (info === null) throw new NotYet("The transcript does not name its session yet.");
  if (!asked.all_projects && !known && !isCwdInProject(roots, info.cwd)) {
    log.debug(`${path} belongs to another project`);
    return 0;
  }
  const options: IngestOptions = {
    ...work,
    agent,
    // Queued in the same transaction as the lines, which are not searched until the model has read them.
    onStored: (session) => {
      if (work.hasScrubbingModel)
        enqueue(memory, { kind: "deep-scrub", subject: session, priority: priority["deep-scrub"] });
    },
    async inOrder(signal) {
      while (hasEarlierTranscriptRunning(memory, job.id)) await sleep(10, undefined, signal && { signal });
    },
    isReadBefore: (lines) =>
      isReadBefore(memory, job.id, {
        lines: lines.flatMap(({ uid }) => uid ?? []),
        messages: lines.flatMap(({ usage }) => usage?.messageId ?? []),
      }),
  };
  const from = known && known.offset <= size ? known.offset : 0;
  const lastAt = known?.sessionId == null ? null : (findSessionById(memory, known.sessionId)?.lastAt ?? null);
  const read = (source: IngestOptions["agent"]) =>
    ingestTranscript({ ...options, agent: source }, path, {
      signal: run.signal,
      onProgress: (offset) => run.progress(Math.max(offset - from, 0), Math.max(size - from, 0)),
    })
      .catch((error: unknown) => {
        throw error instanceof SharedLines ? new NotYet(error.message) : error;
      })
      .finally(() => noteProgress(work, path, known?.offset ?? 0, lastAt));
  // Lines that the client replaced in the file are only in the vault.
  if (isKeptApart(path)) await read(makeVaultReader(agent));
  const result = await read(agent);
  releaseTranscript(agent, path);
  if (result.lines > 0) log.debug(`${path}: ${result.lines} new lines, ${result.chunks} chunks`);
  const isImport = asked.is_import === true;
  return (
    result.chunks + (await sumUp(work, result, { isImport, isAsked: asked.generate_summary === true }, run))
  );
}

/** Records how far the transcript was read, also if the read was interrupted. */
function noteProgress(
  { memory, bindsCommits }: ReadingWork,
  path: string,
  offset: number,
  since: number | null,
): void {
  const now = findTranscriptByPath(memory, path);
  if (!bindsCommits || now === null || now.sessionId === null || now.offset === offset) return;
  if (since === null) askForHistory(memory, { backfill: true, afterMs: afterUnknownMs });
  else askForLate(memory, since);
}

/** Sums up an imported session at once, because it is over. Others are summed up once they rest, or after a compaction. */
async function sumUp(
  work: ReadingWork,
  { session, lines, compacted, turns }: IngestResult,
  { isImport, isAsked }: { isImport: boolean; isAsked: boolean },
  { signal }: JobRun,
): Promise<number> {
  if (session === null) return 0;
  const withLlm = !isImport && (isAsked || compacted);
  if (isImport) return (await sumUpSession({ ...work, llm: null }, session, { turns, signal }))?.chunks ?? 0;
  if (lines > 0 || isAsked)
    askForSummary(work.memory, session, { afterMs: withLlm ? 0 : summariseAfterMs, withLlm });
  return 0;
}
