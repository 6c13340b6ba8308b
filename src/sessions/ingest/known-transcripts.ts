import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Agent, TranscriptInfo } from "../../agents/agent.ts";
import { findAgentByName } from "../../agents/registry.ts";
import { findRetention } from "../../agents/retentions.ts";
import { addTo } from "../../base/multimap.ts";
import { dayMs } from "../../base/text/day.ts";
import { isCwdInProject } from "../../git/projects/roots.ts";
import type { Vanishing } from "../../protocol/vanishing.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid, hasSessionOfTime } from "../../store/memory/sessions/sessions.ts";
import {
  findTranscriptByPath,
  listTranscripts,
  listTranscriptsNamed,
  type TranscriptRecord,
} from "../../store/memory/sessions/transcripts.ts";
import { findKeptFile } from "../../store/vault/vault.ts";

/**
 * How far a transcript was read, also where it lay elsewhere then: a client that archives a session moves its file. A
 * file that is still where it was has been copied, and the copy is another one.
 * @param session its uid, as the file says
 */
export function findTranscript(memory: Memory, path: string, session: string): TranscriptRecord | null {
  const known = findTranscriptByPath(memory, path);
  if (known !== null) return known;
  return listTranscriptsNamed(memory, basename(path), session).find((one) => !existsSync(one.path)) ?? null;
}

/**
 * Whether a file only repeats a session that is stored here, or that was forgotten: an export of it. One that goes on where
 * the stored session ends says more.
 */
export function isCopyOfStored(memory: Memory, { copyOf, startedAt }: TranscriptInfo): boolean {
  if (copyOf === undefined) return false;
  if (isForgotten(memory, copyOf.session)) return true;
  const named = findSessionByUid(memory, copyOf.session);
  const { lastAt } = copyOf;
  if (named !== null && named.agent === copyOf.agent && named.lastAt !== null)
    return lastAt === null || lastAt <= named.lastAt;
  return lastAt !== null && startedAt !== null && hasSessionOfTime(memory, copyOf.agent, startedAt, lastAt);
}

/** Lines of an agent's transcripts that were not understood. */
export interface LeftOut {
  agent: string;
  /** Of kinds that this version does not know. */
  unknown: number;
  /** Those kinds, the most frequent first. */
  kinds: string[];
  /** No JSON, or far too long. */
  damaged: number;
}

/** Lines of transcripts that were skipped though they may matter; nothing for agents without any. */
export function listSkippedLines(memory: Memory): LeftOut[] {
  const agents = new Map<string, { kinds: Map<string, number>; damaged: number }>();
  for (const { agent, skipped } of listTranscripts(memory)) {
    for (const [reason, lines] of Object.entries(skipped)) {
      const odd = findOddReason(reason, findAgentByName(agent)?.ignoredLineTypes);
      if (odd === null) continue;
      const of = agents.get(agent) ?? { kinds: new Map<string, number>(), damaged: 0 };
      agents.set(agent, of);
      if (odd === reason) of.damaged += lines;
      else of.kinds.set(odd, (of.kinds.get(odd) ?? 0) + lines);
    }
  }
  return [...agents].map(([agent, { kinds, damaged }]) => ({
    agent,
    unknown: [...kinds.values()].reduce((sum, lines) => sum + lines, 0),
    kinds: [...kinds].sort(([, one], [, other]) => other - one).map(([kind]) => kind),
    damaged,
  }));
}

/** The reason why a line that may matter was skipped: an unknown kind, or damage; null for all other reasons. */
function findOddReason(reason: string, ignored: ReadonlySet<string> | undefined): string | null {
  if (reason === "malformed" || reason === "too_long") return reason;
  const kind = /^type:(.+)$/.exec(reason)?.[1];
  return kind === undefined || ignored?.has(kind) ? null : kind;
}

/** Sessions that vanish later are not reported yet. Days. */
const soonDays = 7;

/** A person's own session of the project, as a file. */
export interface AgingTranscript {
  mtimeMs: number;
  /** All of it was read. */
  isStored: boolean;
  /** The vault has it, until it is read. */
  isKept: boolean;
}

/**
 * The sessions that `agent` will delete soon; null if it deletes none.
 * @param root of the project, whose settings count as well
 */
export function findExpiringSessions(
  agent: Agent,
  root: string,
  transcripts: () => Iterable<AgingTranscript>,
  now = Date.now(),
): Vanishing | null {
  const retention = findRetention(agent.name, root);
  if (retention === null) return null;
  const { days, setting, source } = retention;
  const soon = [...transcripts()].filter(({ mtimeMs }) => mtimeMs + (days - soonDays) * dayMs <= now);
  const first = Math.min(...soon.map(({ mtimeMs }) => mtimeMs + days * dayMs));
  return {
    agent: agent.name,
    title: agent.title,
    days,
    setting,
    source,
    sessions: soon.length,
    stored: soon.filter(({ isStored }) => isStored).length,
    kept: soon.filter(({ isStored, isKept }) => isKept && !isStored).length,
    within_days: soonDays,
    first_at: soon.length === 0 ? null : new Date(Math.max(first, now)).toISOString(),
  };
}

/** Whose a transcript is. */
export interface TranscriptOwner {
  session: string;
  /** Whether it is of this project. */
  isOurs: boolean;
  /** False for a subagent's session. */
  isOwn: boolean;
}

/**
 * A project's transcripts that an agent's client still has, without those of subagents and of forgotten sessions: the one place
 * that says which are stored and which are kept.
 * @param findOwner reads the beginning of a transcript, or has done so before
 */
export async function listRemainingTranscripts(
  agent: Agent,
  findOwner: (path: string) => Promise<TranscriptOwner | null>,
  memory: Memory | null,
): Promise<AgingTranscript[]> {
  const found: AgingTranscript[] = [];
  for (const directory of agent.listRoots()) {
    for await (const { path, size, mtimeMs } of agent.list(directory)) {
      const owner = await findOwner(path);
      if (owner === null || !owner.isOwn || !owner.isOurs || !existsSync(path)) continue;
      if (memory !== null && isForgotten(memory, owner.session)) continue;
      const read = (memory && findTranscript(memory, path, owner.session)?.offset) ?? 0;
      found.push({ mtimeMs, isStored: read >= size, isKept: findKeptFile(path) !== null });
    }
  }
  return found;
}

/** Reads whose a transcript is from its beginning; null: it does not say (yet). */
export async function readOwner(
  agent: Agent,
  path: string,
  roots: readonly string[],
): Promise<TranscriptOwner | null> {
  const info = await agent.describe(path);
  if (info === null) return null;
  return { session: info.session, isOurs: isCwdInProject(roots, info.cwd), isOwn: info.parent === null };
}

/** A transcript that is to be read. */
export interface FileToRead {
  size: number;
  mtimeMs: number;
  /** When its first line was written. Milliseconds since the epoch. */
  startedAt: number | null;
}

/** How soon a past session is read, compared with those of all projects: smaller is earlier. */
const urgencies = { expiring: 0, here: 1, newest: 2 } as const;
/** Urgencies of the newest and of the oldest are so far apart. */
const maxAgeSteps = 8;

/** A step for each doubling of its age in days, so that projects take turns with what is about as old. */
const toAgeStep = (ageMs: number): number =>
  Math.min(maxAgeSteps, Math.floor(Math.log2(Math.max(0, ageMs) / dayMs + 1)));

/**
 * What is read first: what its client is about to delete, then what is of the project that somebody is in, then the newest. Of those that begin at the same moment, one has copied
 * the others' lines: the earliest goes first, as lines are of the session that they are first read in. A session in a database
 * does not say by its beginning that it is a copy, and no client deletes it soon: those go by age.
 */
export function sortForReading<F extends FileToRead>(
  agent: Agent,
  root: string,
  files: readonly F[],
  { isHere, now = Date.now() }: { isHere: boolean; now?: number },
): (F & { urgency: number })[] {
  const newest = (family: readonly F[]) => Math.max(...family.map(({ mtimeMs }) => mtimeMs));
  const byAge = (family: readonly F[]) =>
    isHere ? urgencies.here : urgencies.newest + toAgeStep(now - newest(family));
  if (agent.database) {
    const urgency = byAge(files);
    return files
      .map((file) => ({ ...file, urgency }))
      .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  }
  const days = findRetention(agent.name, root)?.days;
  const isExpiring = ({ mtimeMs }: F) => days !== undefined && mtimeMs + (days - soonDays) * dayMs <= now;
  const families = new Map<number | F, F[]>();
  for (const file of files) addTo(families, file.startedAt ?? file, file);
  return [...families.values()]
    .map((family) => ({ family, urgency: family.some(isExpiring) ? urgencies.expiring : byAge(family) }))
    .sort((a, b) => a.urgency - b.urgency || newest(b.family) - newest(a.family))
    .flatMap(({ family, urgency }) =>
      family
        .toSorted((a, b) => a.mtimeMs - b.mtimeMs || a.size - b.size)
        .map((file) => ({ ...file, urgency })),
    );
}
