import type {
  BlameRange,
  BlameSummary,
  LineAuthor,
  PersonLines,
  SessionLines,
} from "../../protocol/operations/blame.ts";

/** For a line without evidence. */
export const unknownAuthor: LineAuthor = {
  author: "unknown",
  session_id: null,
  session_title: null,
  agent: null,
  model: null,
  turn: null,
  tool_use: null,
  confidence: 0,
  how: "none",
  basis: "none",
  said_by: null,
  hint: null,
};

/** For a line from before the first session. */
export const beforeAgents: LineAuthor = { ...unknownAuthor, author: "before_agents" };

export function summaryOf(ranges: readonly BlameRange[]): BlameSummary {
  const counts = { agent: 0, human: 0, unknown: 0, before_agents: 0 };
  const sessions = new Map<string, SessionLines>();
  const models = new Map<string, { model: string; lines: number }>();
  const persons = new Map<string | null, PersonLines>();
  for (const range of ranges) {
    const lines = range.last_line - range.first_line + 1;
    counts[range.author] += lines;
    const { author, session_id, session_title, agent, turn, model, person } = range;
    if (author !== "agent") {
      const known = entry(persons, person, () => ({ person, human: 0, unknown: 0, before_agents: 0 }));
      known[author] += lines;
      continue;
    }
    if (session_id !== null) {
      const make = () => ({ session_id, session_title, agent, turns: [], lines: 0 });
      const known = entry<string, SessionLines>(sessions, session_id, make);
      known.lines += lines;
      if (turn !== null && !known.turns.includes(turn)) known.turns.push(turn);
    }
    if (model !== null) entry(models, model, () => ({ model, lines: 0 })).lines += lines;
  }
  for (const { turns } of sessions.values()) turns.sort((a, b) => a - b);
  return {
    lines: counts.agent + counts.human + counts.unknown + counts.before_agents,
    ...counts,
    by_session: sortedByCount(sessions, ({ lines }) => lines),
    by_model: sortedByCount(models, ({ lines }) => lines),
    by_person: sortedByCount(persons, ({ human, unknown, before_agents }) => human + unknown + before_agents),
  };
}

/** A map's value for a key, created if missing. */
export function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** The values of a map by descending count, equal ones in order of insertion. */
export const sortedByCount = <V>(map: ReadonlyMap<unknown, V>, countOf: (value: V) => number): V[] =>
  [...map.values()].sort((a, b) => countOf(b) - countOf(a));
