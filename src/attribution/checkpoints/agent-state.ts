import type { Entry } from "../../agents/agent.ts";
import { agentNamed } from "../../agents/registry.ts";
import type { AgentState, SessionState } from "../../protocol/operations/checkpoints.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import type { Binding } from "../../store/memory/git-records.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { lastTurnBy } from "../../store/memory/sessions/turn-lookup.ts";

/** Bytes of JSON. */
const most = 4096;
const longest = { title: 200, prompt: 300, said: 400, todo: 120 };
const maxTodos = 12;
const maxSessions = 8;
/** Turns that are read for a list of things to do. */
const turnsRead = 20;

/**
 * The state of agents when a commit was made.
 * @param at the time of the commit; later messages are left out. Milliseconds since the epoch
 */
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
  const entries: Entry[] = [];
  // Git knows seconds only.
  const until = at + 999;
  const last = lastTurnBy(memory, session.id, until) ?? lastBound;
  if (last === null) return state;
  for (const turn of storedTurns(memory, session.id, { first: Math.max(0, last - turnsRead), last })) {
    if (turn.abandoned) continue;
    state.turn = turn.number;
    state.prompt = turn.number === 0 ? null : cut(turn.record.prompt, longest.prompt);
    state.said = null;
    for (const line of turn.lines) {
      if (line.at !== null && line.at > until) continue;
      entries.push(...line.entries);
      if (line.model !== undefined) state.model = line.model;
      for (const entry of line.entries) {
        if (entry.kind === "text" && entry.text.trim() !== "") state.said = cut(entry.text, longest.said);
      }
    }
  }
  const todos = agentNamed(session.agent)?.todosIn?.(entries) ?? [];
  state.todos = todos
    .slice(0, maxTodos)
    .map(({ text, status }) => ({ text: cut(text, longest.todo) ?? "", status: cut(status, 20) ?? "" }));
  return state;
}

/** The first ones, as many as fit; one that is too large by itself is reduced to its most important parts. */
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
