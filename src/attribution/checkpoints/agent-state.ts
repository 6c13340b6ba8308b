import { LRUCache } from "lru-cache";
import type { Entry } from "../../agents/agent.ts";
import { agentNamed } from "../../agents/registry.ts";
import type { AgentState, SessionState } from "../../protocol/agent-state.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Binding } from "../../store/memory/memory-records.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import {
  contentById,
  lastTurnBy,
  type StampedTurn,
  turnsBetween,
} from "../../store/memory/sessions/turn-lookup.ts";

/** Bytes of JSON. */
const most = 4096;
const longest = { title: 200, prompt: 300, said: 400, todo: 120 };
const maxTodos = 12;
const maxSessions = 8;
/** Turns that are read for a list of things to do. */
const turnsRead = 20;
/** Turns of which is kept what states need. */
const maxTurns = 400;

/** Of a line what a state needs. */
interface StateLine {
  at: number | null;
  model: string | undefined;
  said: string | null;
  /** Calls that keep a list of things to do, and their results. */
  todos: Entry[];
}

/** What turns say of their agents' states, read once for many commits: one after the other has mostly the same turns. */
export class TurnStates {
  private readonly known = new LRUCache<number, { stamp: string; lines: StateLine[] }>({ max: maxTurns });

  constructor(private readonly memory: Memory) {}

  of({ id, stamp }: StampedTurn, todoTools: readonly string[]): readonly StateLine[] {
    const known = this.known.get(id);
    if (known?.stamp === stamp) return known.lines;
    const content = contentById(this.memory, id);
    const lines = content === null ? [] : stateLines(unpackContent<StoredLine>(content), todoTools);
    this.known.set(id, { stamp, lines });
    return lines;
  }
}

function stateLines(lines: readonly StoredLine[], todoTools: readonly string[]): StateLine[] {
  const calls = new Set<string>();
  return lines.flatMap(({ at, model, entries }) => {
    const todos: Entry[] = [];
    let said: string | null = null;
    for (const entry of entries) {
      if (entry.kind === "text" && entry.text.trim() !== "") said = cut(entry.text, longest.said);
      if (entry.kind === "tool_use" && todoTools.includes(entry.tool)) {
        calls.add(entry.id);
        todos.push(entry);
      }
      if (entry.kind === "tool_result" && calls.has(entry.id)) todos.push(entry);
    }
    return model === undefined && said === null && todos.length === 0 ? [] : [{ at, model, said, todos }];
  });
}

/**
 * The state of agents when a commit was made.
 * @param at the time of the commit; later messages are left out. Milliseconds since the epoch
 */
export function agentStateAt(
  memory: Memory,
  bindings: readonly Binding[],
  at: number,
  turnStates = new TurnStates(memory),
): AgentState {
  const states = bindings.slice(0, maxSessions).flatMap(({ sessionUid, turns }) => {
    const state = sessionStateAt(memory, turnStates, sessionUid, turns.at(-1) ?? null, at);
    return state === null ? [] : [[sessionUid, state] as [string, SessionState]];
  });
  return withinBounds(states);
}

function sessionStateAt(
  memory: Memory,
  turnStates: TurnStates,
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
  const agent = agentNamed(session.agent);
  for (const turn of turnsBetween(memory, session.id, Math.max(0, last - turnsRead), last)) {
    state.turn = turn.number;
    state.prompt = turn.number === 0 ? null : cut(turn.prompt, longest.prompt);
    state.said = null;
    for (const line of turnStates.of(turn, agent?.todos?.tools ?? [])) {
      if (line.at !== null && line.at > until) continue;
      entries.push(...line.todos);
      if (line.model !== undefined) state.model = line.model;
      if (line.said !== null) state.said = line.said;
    }
  }
  const todos = agent?.todos?.after(entries) ?? [];
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
