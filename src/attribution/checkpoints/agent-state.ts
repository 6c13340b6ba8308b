import { LRUCache } from "lru-cache";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { findAgentByName } from "../../agents/registry.ts";
import type { AgentState, SessionState } from "../../protocol/agent-state.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Binding } from "../../store/memory/memory-records.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import {
  findContentById,
  findLastTurnBy,
  listTurnsBetween,
  type StampedTurn,
} from "../../store/memory/sessions/turn-lookup.ts";

/** Bytes of JSON. */
const maxStateBytes = 4096;
const maxStateChars = { title: 200, prompt: 300, said: 400, todo: 120 };
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
  todos: TranscriptEntry[];
}

/** What turns say of their agents' states, read once for many commits: one after the other has mostly the same turns. */
export class TurnStates {
  private readonly known = new LRUCache<number, { stamp: string; lines: StateLine[] }>({ max: maxTurns });

  constructor(private readonly memory: Memory) {}

  readTurnStates({ id, stamp }: StampedTurn, todoTools: readonly string[]): readonly StateLine[] {
    const known = this.known.get(id);
    if (known?.stamp === stamp) return known.lines;
    const content = findContentById(this.memory, id);
    const lines = content === null ? [] : extractStateLines(unpackContent<StoredLine>(content), todoTools);
    this.known.set(id, { stamp, lines });
    return lines;
  }
}

function extractStateLines(lines: readonly StoredLine[], todoTools: readonly string[]): StateLine[] {
  const calls = new Set<string>();
  return lines.flatMap(({ at, model, entries }) => {
    const todos: TranscriptEntry[] = [];
    let said: string | null = null;
    for (const entry of entries) {
      if (entry.kind === "text" && entry.text.trim() !== "") said = cut(entry.text, maxStateChars.said);
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
export function buildAgentState(
  memory: Memory,
  bindings: readonly Binding[],
  at: number,
  turnStates = new TurnStates(memory),
): AgentState {
  const states = bindings.slice(0, maxSessions).flatMap(({ sessionUid, turns }) => {
    const state = buildSessionState(memory, turnStates, sessionUid, turns.at(-1) ?? null, at);
    return state === null ? [] : [[sessionUid, state] as [string, SessionState]];
  });
  return keepWithinBounds(states);
}

function buildSessionState(
  memory: Memory,
  turnStates: TurnStates,
  uid: string,
  lastBound: number | null,
  at: number,
): SessionState | null {
  const session = findSessionByUid(memory, uid);
  if (session === null) return null;
  const state: SessionState = {
    turn: null,
    title: cut(session.title, maxStateChars.title),
    prompt: null,
    said: null,
    model: null,
    todos: [],
  };
  const entries: TranscriptEntry[] = [];
  // Git knows seconds only.
  const until = at + 999;
  const last = findLastTurnBy(memory, session.id, until) ?? lastBound;
  if (last === null) return state;
  const agent = findAgentByName(session.agent);
  for (const turn of listTurnsBetween(memory, session.id, Math.max(0, last - turnsRead), last)) {
    state.turn = turn.number;
    state.prompt = turn.number === 0 ? null : cut(turn.prompt, maxStateChars.prompt);
    state.said = null;
    for (const line of turnStates.readTurnStates(turn, agent?.todos?.tools ?? [])) {
      if (line.at !== null && line.at > until) continue;
      entries.push(...line.todos);
      if (line.model !== undefined) state.model = line.model;
      if (line.said !== null) state.said = line.said;
    }
  }
  const todos = agent?.todos?.after(entries) ?? [];
  state.todos = todos.slice(0, maxTodos).map(({ text, status }) => ({
    text: cut(text, maxStateChars.todo) ?? "",
    status: cut(status, 20) ?? "",
  }));
  return state;
}

/** The first ones, as many as fit; one that is too large by itself is reduced to its most important parts. */
function keepWithinBounds(states: readonly [string, SessionState][]): AgentState {
  let kept: AgentState = {};
  const fits = (state: AgentState) => Buffer.byteLength(JSON.stringify(state)) <= maxStateBytes;
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
