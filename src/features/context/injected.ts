import { dayMs } from "../../base/text/day.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listEffectiveUses } from "../../sessions/ingest/turns.ts";
import { classifyToolUse, readStoredTurns, type Turn } from "../../sessions/turn-content.ts";
import { findChunkByUid } from "../../store/memory/chunks/chunks.ts";
import { findNoteByUid } from "../../store/memory/chunks/notes.ts";
import { listCommands } from "../../store/memory/commands.ts";
import { findEventByUid } from "../../store/memory/events.ts";
import { type Injection, listInjections, listMissedInjections } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, TurnFile, TurnRecord } from "../../store/memory/memory-records.ts";
import {
  findSession,
  findSessionById,
  findSessionByUid,
  listSessions,
} from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { listItemFiles } from "./at-start.ts";
import type { Injected, InjectedUse, injectionsResponse } from "./operation.ts";

/*
 * Whether automatic context was used, by what the session did afterwards. Used: the agent followed a reference it was
 * given. Not used: it was given nothing but a place, and went on without going there. A quotation can be heeded without
 * a trace, so nothing is concluded from there being none. docs/agents.md says the same to users.
 */

/** Calls of tools after context was given, and turns in which they are: later traces have other causes. */
const maxActionsAfter = 10;
const maxTurnsAfter = 10;

/** What the agent said or did after the context was given. */
interface Act {
  at: number;
  /** Whether it called a tool. */
  isAction: boolean;
  /** null: of a subagent. */
  turn: number | null;
  touched: readonly TurnFile[];
  /** What it said, or gave to a tool that changes nothing. */
  words: string;
}

/** What a session did after a time. */
interface Aftermath {
  /** When it was given. */
  at: number;
  acts: Act[];
  /** Files it had touched by then, which it knew already. */
  known: ReadonlySet<string>;
  cwd: string;
}

/** For each item of an injection, by its reference; without those that only record what was edited. */
export function findInjectedUses(memory: Memory, injection: Injection): Map<string, InjectedUse> {
  const read = memory.cacheUntilWrite<string, Map<string, InjectedUse>>("uses of context");
  const key = JSON.stringify([injection.sessionUid, injection.at, injection.items.map(({ ref }) => ref)]);
  const remembered = read.get(key);
  if (remembered !== undefined) return remembered;
  const session = findSessionByUid(memory, injection.sessionUid);
  const aftermath = session === null ? null : readAftermath(memory, session, injection.at);
  const uses = new Map(
    injection.items
      .filter(({ ref }) => !ref.startsWith("file:"))
      .map(({ ref }) => [ref, judgeUse(memory, injection.sessionUid, ref, aftermath)]),
  );
  read.set(key, uses);
  return uses;
}

function judgeUse(memory: Memory, own: string, ref: string, aftermath: Aftermath | null): InjectedUse {
  if (aftermath === null || aftermath.acts.length === 0) {
    return { outcome: "unknown", reason: "nothing of the session is recorded after it", turn: null };
  }
  const { acts, known, cwd } = aftermath;
  if (ref.startsWith(commandRef)) return useOfCommand(memory, own, ref.slice(commandRef.length), aftermath);
  const { files, ids, isPlace } = findLeads(memory, own, ref);
  for (const { turn, touched, words } of acts) {
    const id = ids.find((one) => words.includes(one));
    if (id !== undefined) return { outcome: "used", reason: `the agent named ${id}`, turn };
    for (const file of files.filter((one) => !known.has(one))) {
      const touch = touched.find(({ path }) => path === file);
      if (touch) return { outcome: "used", reason: `the agent ${done[touch.how]} ${file}`, turn };
      if (hasPath(words, file, cwd)) return { outcome: "used", reason: `the agent named ${file}`, turn };
    }
  }
  if (files.length > 0 && files.every((file) => known.has(file))) {
    return { outcome: "unknown", reason: "the session knew the file already", turn: null };
  }
  return isPlace
    ? { outcome: "not_used", reason: "the agent went on without opening it", turn: null }
    : { outcome: "unknown", reason: "an agent can follow a quotation without a trace", turn: null };
}

const commandRef = "command:";

function useOfCommand(memory: Memory, own: string, form: string, { at }: Aftermath): InjectedUse {
  const session = findSessionByUid(memory, own);
  const run =
    session === null
      ? undefined
      : listCommands(memory, { sessionId: session.id }).findLast(
          (one) => one.form === form && (one.at ?? 0) >= at,
        );
  return run === undefined
    ? { outcome: "not_used", reason: "the agent did not run it", turn: null }
    : { outcome: "used", reason: "the agent ran it", turn: run.turn };
}

const done = { read: "read", edit: "edited", write: "wrote" } as const;

/** What can be followed from an item: files, and ids as they were given. */
function findLeads(
  memory: Memory,
  own: string,
  ref: string,
): { files: readonly string[]; ids: string[] /** Nothing but a place. */; isPlace: boolean } {
  const at = ref.indexOf(":");
  const [kind, name] = [ref.slice(0, at), ref.slice(at + 1)];
  // The session's own id is in its commands for other reasons.
  const quoted = (uid: string | null) => (uid === null || uid === own ? [] : [shortenSessionId(uid)]);
  switch (kind) {
    case "code":
      return { files: [name.replace(/#[^#]*$/, "")], ids: [], isPlace: true };
    case "chunk": {
      const chunk = findChunkByUid(memory, name);
      if (chunk === null) return { files: [], ids: [], isPlace: false };
      const uid = findSessionById(memory, chunk.sessionId)?.uid ?? null;
      return { files: [], ids: quoted(uid), isPlace: false };
    }
    case "note":
      return {
        files: [],
        ids: quoted(findNoteByUid(memory, name)?.sessionUid ?? null),
        isPlace: false,
      };
    case "session":
      return {
        files: listItemFiles(memory, ref),
        ids: quoted(name.replace(/:\w+$/, "")),
        isPlace: false,
      };
    case "event":
      return { files: [], ids: [name], isPlace: false };
    default:
      return { files: [], ids: [], isPlace: false };
  }
}

function readAftermath(memory: Memory, session: SessionRecord, at: number): Aftermath {
  const turns = listTurns(memory, session.id);
  const window = turns.filter((turn) => getTurnEnd(turn) > at).slice(0, maxTurnsAfter);
  const last = window.at(-1);
  const earlier = turns.filter((turn) => getTurnEnd(turn) <= at);
  const known = new Set(earlier.flatMap(({ files }) => files.map(({ path }) => path)));
  const acts: Act[] = [];
  const add = (turn: Turn & { record: TurnRecord }, number: number | null) => {
    const worked = new Set(listEffectiveUses(turn));
    for (const { at: lineAt, entries } of turn.lines) {
      const isBefore = (lineAt ?? getTurnEnd(turn.record)) <= at;
      for (const entry of entries) {
        const when = { at: lineAt ?? getTurnEnd(turn.record), turn: number };
        if (entry.kind === "text" && !isBefore)
          acts.push({ ...when, isAction: false, touched: [], words: entry.text });
        if (entry.kind !== "tool_use" || !worked.has(entry)) continue;
        // Calls have paths as the agent wrote them, the turn as they are stored.
        const touched = turn.record.files.filter((file) =>
          entry.files.some(({ path }) => path === file.path || path.endsWith(`/${file.path}`)),
        );
        if (isBefore) for (const { path } of touched) known.add(path);
        // What is written names all kinds of things.
        const words = classifyToolUse(entry) === "write" ? "" : JSON.stringify(entry.input);
        if (!isBefore) acts.push({ ...when, isAction: true, touched, words });
      }
    }
  };
  if (last === undefined) return { at, acts, known, cwd: session.cwd };
  for (const turn of readStoredTurns(memory, session.id, { first: window[0]!.number, last: last.number })) {
    add(turn, turn.number);
  }
  for (const child of listSessions(memory, { children: session.id, since: at, until: getTurnEnd(last) })) {
    for (const turn of readStoredTurns(memory, child.id)) add(turn, null);
  }
  return { at, acts: takeFirstActions(acts), known, cwd: session.cwd };
}

/** What was done up to the last action that counts, also by subagents, in the order of time. */
function takeFirstActions(acts: readonly Act[]): Act[] {
  const inOrder = acts.toSorted((a, b) => a.at - b.at);
  const actions = inOrder.filter(({ isAction }) => isAction);
  const last = actions[maxActionsAfter - 1];
  return last === undefined ? inOrder : inOrder.slice(0, inOrder.indexOf(last) + 1);
}

const getTurnEnd = ({ endedAt, startedAt }: TurnRecord): number => endedAt ?? startedAt ?? 0;

/** Whether words have a path, from the project's root or from where the session was launched. */
function hasPath(words: string, path: string, cwd: string): boolean {
  if (!words.includes(path)) return false;
  const forms = [path, `./${path}`, `${cwd}/${path}`];
  return words.split(/[\s"'`\\,;:()[\]{}=|<>]+/).some((word) => forms.includes(word));
}

const maxTextChars = 160;
const missedSinceMs = 30 * dayMs;

/** Answers that came too late for the agent, of the last 30 days. */
export function listMissedAnswers(memory: Memory): Shaped<typeof injectionsResponse>["missed"] {
  return listMissedInjections(memory, Date.now() - missedSinceMs).map(({ event, at, tookMs }) => ({
    event,
    at: new Date(at).toISOString(),
    took_ms: tookMs,
  }));
}

/**
 * Past automatic context, the latest first, with texts as they are stored today and whether they were used.
 * @throws PommelError `not_found` for an unknown session
 */
export function listInjected(
  memory: Memory,
  { session, limit }: { session?: string | undefined; limit: number },
): Injected[] {
  const sessionUid = session === undefined ? null : findSession(memory, session).uid;
  return listInjections(memory, { sessionUid, limit }).map((injection) => {
    const { sessionUid, event, at, reason, tokens, tookMs, items } = injection;
    const uses = findInjectedUses(memory, injection);
    return {
      session_id: sessionUid,
      session_title: findSessionByUid(memory, sessionUid)?.title ?? null,
      event,
      at: new Date(at).toISOString(),
      reason,
      tokens,
      took_ms: tookMs,
      items: items.map(({ ref, why, score }) => {
        const about = readItemText(memory, ref);
        return {
          ref,
          why,
          score,
          use: uses.get(ref) ?? null,
          about: about === null ? null : shortenText(toHarmlessLine(about), maxTextChars),
        };
      }),
    };
  });
}

function readItemText(memory: Memory, ref: string): string | null {
  const at = ref.indexOf(":");
  const uid = ref.slice(at + 1);
  switch (ref.slice(0, at)) {
    case "chunk":
      return findChunkByUid(memory, uid)?.text ?? null;
    case "note":
      return findNoteByUid(memory, uid)?.note ?? null;
    case "event":
      return findEventByUid(memory, uid)?.title ?? null;
    case "session": {
      const session = findSessionByUid(memory, uid.replace(/:(?:branch|files|commands)$/, ""));
      return session === null ? null : (session.title ?? session.uid);
    }
    default:
      return uid;
  }
}
