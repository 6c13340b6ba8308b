import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { defaultAgent, findAgentByName, statTranscript } from "../agents/registry.ts";
import { readCurrentBranch } from "../git/history/head.ts";
import { isCwdInProject } from "../git/projects/roots.ts";
import { parsePromptNotes } from "../protocol/reading/prompt-notes.ts";
import { type AgentHookItem, agentHookItem, type SpoolItem } from "../protocol/spool-items.ts";
import type { WaitReason } from "../protocol/values.ts";
import { scrubAlone, scrubValue } from "../redact/scrubber.ts";
import { noteAlone } from "../sessions/chunks/annotate.ts";
import { chunkToStore } from "../sessions/chunks/chunk-to-store.ts";
import { isSameNote, makeNoteUid } from "../sessions/notes/notes.ts";
import { createIdScrubber } from "../sessions/scrub/scrub-lines.ts";
import { saveToldWait } from "../sessions/waiting.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import { replaceNoteChunk } from "../store/memory/chunks/chunks.ts";
import { listStoredNotes, saveNote } from "../store/memory/chunks/notes.ts";
import type { Memory } from "../store/memory/memory.ts";
import { isForgotten } from "../store/memory/privacy/forget.ts";
import { findSessionByUid, saveSession } from "../store/memory/sessions/sessions.ts";
import type { MemoryWork } from "./jobs/memory-work.ts";

/** Maximum difference between the times of a prompt's hook and its line in the transcript. Milliseconds. */
const sameNoteMs = 60_000;
/** The last message of a turn is written a little after the turn's end. Milliseconds. */
const lagMs = 2000;

interface HookEventsOptions {
  work: Pick<MemoryWork, "captures" | "memory" | "readOn">;
  /** What every text passes before it is stored. */
  scrubbing: () => Pick<ScrubbingWork, "scrubber" | "ledgerKey">;
  roots: () => readonly string[];
  /** The file may be outside of the watched folders. */
  onTranscript: (path: string) => void;
  /** An agent has done something. */
  onEvent?: () => void;
  stop: AbortSignal;
}

/** Records events of agents' hooks: they run ahead of the transcript, which has the rest. */
export function makeAgentHookHandler(options: HookEventsOptions): (item: SpoolItem) => Promise<void> {
  return async (item) => {
    if (!options.work.captures) return;
    const { agent = defaultAgent.name, event, payload, received_at: at } = z.parse(agentHookItem, item);
    if (findAgentByName(agent) === undefined) throw new Error(`Unknown agent: ${agent}.`);
    const branch = await readBranchAtEvent({ agent, event, payload, at });
    recordEvent(options, { agent, event, payload, at, branch });
    options.onEvent?.();
  };
}

interface HookEvent {
  agent: string;
  event: AgentHookItem["event"];
  payload: AgentHookItem["payload"];
  at: number;
  /** Where it is known and no transcript has it. */
  branch: string | null;
}

/** The branch checked out this soon after a hook counts as the branch at the hook. Milliseconds. */
const soonMs = 10_000;

async function readBranchAtEvent({
  agent,
  event,
  payload,
  at,
}: Omit<HookEvent, "branch">): Promise<string | null> {
  const begins = event === "session-start" || event === "user-prompt";
  if (
    !begins ||
    !findAgentByName(agent)?.lacksBranch ||
    payload.cwd === undefined ||
    Date.now() - at > soonMs
  )
    return null;
  return readCurrentBranch(payload.cwd);
}

function recordEvent(options: HookEventsOptions, { agent, event, payload, at, branch }: HookEvent): void {
  const { work } = options;
  const { memory } = work;
  const { session_id: uid, transcript_path: path, agent_transcript_path: agentPath } = payload;
  const isKnown = uid !== undefined && findSessionByUid(memory, uid) !== null;
  const belongs = isKnown || payload.cwd === undefined || isCwdInProject(options.roots(), payload.cwd);
  if (uid !== undefined && belongs) {
    const { scrubber, ledgerKey } = options.scrubbing();
    const scrub = (text: string) => scrubAlone(scrubber, text);
    // As reading the transcript will name it.
    const session = createIdScrubber(scrubber, ledgerKey)(uid);
    const scrubbed = scrubValue({ cwd: payload.cwd, reason: payload.reason, prompt: payload.prompt }, scrub);
    const noted = { agent, event, payload: scrubbed, at, branch: branch === null ? null : scrub(branch) };
    const hasTranscript = path !== undefined && (statTranscript(path)?.size ?? 0) > 0;
    if (!isForgotten(memory, session)) {
      noteSession(memory, session, noted, hasTranscript);
      const reason = findWaitReason(agent, event, payload);
      if (reason !== undefined) saveToldWait(memory, session, { for: reason, since: at });
    }
  }
  if (event === "session-start") return;
  const generate_summary = event === "pre-compact" || event === "session-end";
  if (path !== undefined) readOn(options, path, { agent, generate_summary });
  const isThere = (file: string | undefined): file is string =>
    file !== undefined && statTranscript(file) !== null;
  if (isThere(agentPath)) readOn(options, agentPath, { agent });
  if (event === "stop" || event === "subagent-stop" || event === "session-end") {
    void readLater(options, [path, agentPath].filter(isThere), agent);
  }
}

const findWaitReason = (
  agent: string,
  event: HookEvent["event"],
  { notification_type: told }: HookEvent["payload"],
): WaitReason | undefined =>
  event === "notification" && told !== undefined
    ? findAgentByName(agent)?.hooks?.waitsFor?.[told]
    : undefined;

/**
 * A prompt shows that a session continues, not that it starts: for a fork, older clients send the start with the id of
 * its origin, and nothing with its own id before the first prompt.
 * @param hasTranscript its file is there, and holds something
 */
function noteSession(
  memory: Memory,
  uid: string,
  { agent, event, payload, at, branch }: HookEvent,
  hasTranscript: boolean,
): void {
  const session = { uid, agent, cwd: payload.cwd ?? "", ...(branch !== null && { branch }) };
  if (event === "session-start" && findSessionByUid(memory, uid) === null) {
    saveSession(memory, { ...session, startedAt: at, lastAt: at });
  }
  if (event === "user-prompt") {
    saveSession(memory, { ...session, startedAt: at, lastAt: at, ended: null });
    if (payload.prompt !== undefined) noteNotes(memory, uid, payload.prompt, at);
  }
  if (event === "session-end") {
    // A session without messages does not count; one whose end is the first that is heard of it is read now, and is over.
    if (findSessionByUid(memory, uid) === null && !hasTranscript) return;
    saveSession(memory, { ...session, ended: { at, reason: payload.reason ?? null } });
  }
}

/**
 * The prompt's notes, at once. The transcript repeats them later, with their turn: the n-th same note of a session is
 * always the same note.
 */
function noteNotes(memory: Memory, sessionUid: string, prompt: string, at: number): void {
  const before = listStoredNotes(memory, { sessionUid });
  const matched = new Set<number>();
  const added = new Map<string, number>();
  for (const note of parsePromptNotes(prompt)) {
    const same = before.filter((known) => isSameNote(known.note, note));
    const recorded = same.find(({ id, at: then }) => !matched.has(id) && Math.abs(then - at) < sameNoteMs);
    if (recorded) {
      matched.add(recorded.id);
      continue;
    }
    const more = added.get(note) ?? 0;
    added.set(note, more + 1);
    const uid = makeNoteUid(sessionUid, note, same.length + more);
    const facts = { turn: null, lineUid: null, at, source: "prompt", branch: null, note } as const;
    const id = saveNote(memory, { uid, sessionUid, ...facts });
    if (id !== null) makeFindable(memory, sessionUid, id, note, at);
  }
}

/** A note is found by its words at once; its transcript brings what was said before it, and its vector. */
function makeFindable(memory: Memory, sessionUid: string, id: number, note: string, at: number): void {
  const session = findSessionByUid(memory, sessionUid);
  if (session === null) return;
  const draft = noteAlone(note, 0, at);
  const chunk = chunkToStore(session, draft, { position: id, annotationId: id }, null, undefined);
  replaceNoteChunk(memory, session.id, { ...chunk, annotationId: id });
}

function readOn(
  options: HookEventsOptions,
  path: string,
  how: { agent: string; generate_summary?: boolean },
): void {
  options.onTranscript(path);
  options.work.readOn(path, how);
}

async function readLater(options: HookEventsOptions, paths: readonly string[], agent: string): Promise<void> {
  if (paths.length === 0) return;
  await sleep(lagMs, undefined, { signal: options.stop, ref: false }).catch(() => {});
  if (options.stop.aborted) return;
  for (const path of paths) {
    try {
      options.work.readOn(path, { agent });
    } catch {
      // The memory has closed meanwhile; the next start finds what is on disk.
    }
  }
}
