import { type SessionState, sessionState } from "../../protocol/checkpoints.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { Binding } from "../../store/memory/git-records.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { todosIn } from "./todos.ts";

/**
 * What agents were at when a commit was made, by the uid of their session; of what is stored, and so scrubbed. Kept with
 * the checkpoint, as turns may be let go by age.
 */
export type AgentState = Record<string, SessionState>;

/** Bytes of JSON. */
const most = 4096;
const longest = { title: 200, prompt: 300, said: 400, todo: 120 };
const maxTodos = 12;
const maxSessions = 8;
/** Turns that are read for a list of things to do. */
const turnsRead = 20;

/** @param at when the commit was made; what was said later is left out. Milliseconds since the epoch */
export function agentStateAt(memory: Memory, bindings: readonly Binding[], at: number): AgentState {
  const states = bindings.slice(0, maxSessions).flatMap(({ sessionUid, turns }) => {
    const state = sessionStateAt(memory, sessionUid, turns.at(-1) ?? null, at);
    return state === null ? [] : [[sessionUid, state] as [string, SessionState]];
  });
  return withinBounds(states);
}

function sessionStateAt(
  memory: Memory,
  uid: string,
  lastBound: number | null,
  at: number,
): SessionState | null {
  const session = sessionByUid(memory, uid);
  if (session === null) return null;
  const state: SessionState = {
    turn: null,
    title: cut(session.title, longest.title),
    prompt: null,
    said: null,
    model: null,
    todos: [],
  };
  const lines: StoredLine[] = [];
  const last = lastTurnBefore(memory, session.id, at) ?? lastBound;
  if (last === null) return state;
  for (const turn of storedTurns(memory, session.id, { first: Math.max(0, last - turnsRead), last })) {
    if (turn.abandoned) continue;
    state.turn = turn.number;
    state.prompt = turn.number === 0 ? null : cut(turn.record.prompt, longest.prompt);
    state.said = null;
    for (const line of turn.lines) {
      // Git knows seconds only.
      if (line.at !== null && line.at > at + 999) continue;
      lines.push(line);
      if (line.model !== undefined) state.model = line.model;
      for (const entry of line.entries) {
        if (entry.kind === "text" && entry.text.trim() !== "") state.said = cut(entry.text, longest.said);
      }
    }
  }
  state.todos = todosIn(lines)
    .slice(0, maxTodos)
    .map(({ text, status }) => ({ text: cut(text, longest.todo) ?? "", status: cut(status, 20) ?? "" }));
  return state;
}

/** The last turn that had begun at a time; null when none had, or nobody knows. */
function lastTurnBefore(memory: Memory, sessionId: number, at: number): number | null {
  const found = memory.prepare(
    "SELECT max(number) FROM turns WHERE session_id = ? AND started_at <= ? AND NOT abandoned",
  );
  return found.pluck().get(sessionId, at + 999) as number | null;
}

/** The first ones, as many as fit; of one that is too large by itself what says most. */
function withinBounds(states: readonly [string, SessionState][]): AgentState {
  let kept: AgentState = {};
  const fits = (state: AgentState) => Buffer.byteLength(JSON.stringify(state)) <= most;
  for (const [uid, state] of states) {
    const forms = [
      state,
      { ...state, todos: state.todos.slice(0, 4) },
      { ...state, todos: [], said: cut(state.said, 120), prompt: cut(state.prompt, 120) },
    ];
    const form = forms.find((form) => fits({ ...kept, [uid]: form }));
    if (form === undefined) break;
    kept = { ...kept, [uid]: form };
  }
  return kept;
}

function cut(text: string | null, length: number): string | null {
  const flat = text?.replace(/\s+/g, " ").trim() ?? "";
  if (flat === "") return null;
  if (flat.length <= length) return flat;
  // Never half of a character beyond the first 65,536.
  return `${flat.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** What stands in a checkpoint; sessions of which something else stands there are left out. */
export function readAgentState(stored: Record<string, unknown>): AgentState {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([uid, state]) => {
      const { success, data } = sessionState().safeParse(state);
      return success ? [[uid, data] as [string, SessionState]] : [];
    }),
  );
}
