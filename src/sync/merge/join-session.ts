import { titleSources } from "../../store/memory/memory-records.ts";
import { canonicalJson, compareParts, compareText } from "../codec/codec.ts";
import type { SharedLine, SharedSession, SharedTurn, SharedUsage } from "../records/records.ts";
import {
  anyOf,
  compareCleanness,
  type Fields,
  greatest,
  joinFields,
  least,
  type Together,
  unionBy,
} from "./join.ts";

type Summary = SharedSession["summaries"][number];

/** Last location and end: from the version with the most lines. */
const whereabouts: Together = {
  fields: ["last_at", "branch", "ended_at", "end_reason"],
  compare: (a, b) => {
    const order = ({ last_at, ended_at, branch }: Fields) => [last_at, ended_at, branch] as (number | null)[];
    return compareParts(order(a), order(b));
  },
};

const title: Together = {
  fields: ["title", "title_source", "title_at"],
  compare: (a, b) => {
    const order = ({ title_source: source, title_at }: Fields) => [
      (titleSources as readonly unknown[]).indexOf(source),
      title_at as number | null,
    ];
    return compareParts(order(a), order(b)) || compareCleanness(String(a.title), String(b.title));
  },
};

/** Keeps all of the agent's summaries, and the language model's with the most lines. */
function joinSummaries(a: unknown, b: unknown): unknown {
  const better = (one: Summary, other: Summary) =>
    (compareParts([one.up_to_turn, one.at], [other.up_to_turn, other.at]) ||
      compareCleanness(one.text, other.text) ||
      compareText(canonicalJson(one), canonicalJson(other))) >= 0
      ? one
      : other;
  return unionBy<Summary>(
    ({ source, up_to_turn }) => (source === "llm" ? "llm" : `compaction ${up_to_turn}`),
    better,
  )(a, b);
}

export function joinSessions(a: SharedSession, b: SharedSession): SharedSession {
  const joins = { started_at: least, summaries: joinSummaries };
  return joinFields(a, b, joins, [whereabouts, title]) as SharedSession;
}

/** Versions of a line scrubbed by different rules, or partly forgotten. */
function joinLines(a: SharedLine, b: SharedLine): SharedLine {
  const words = (line: SharedLine) => canonicalJson({ ...line, seq: 0, at: 0 });
  const seq = Math.min(a.seq, b.seq);
  const at = greatest(a.at, b.at) as number | null;
  return { ...(compareCleanness(words(a), words(b)) >= 0 ? a : b), seq, at };
}

const lineKey = ({ uid, seq }: SharedLine) => uid ?? `#${seq}`;
const joinAllLines = unionBy(lineKey, joinLines);

const joinUsage = unionBy<SharedUsage>(
  ({ message }) => message,
  (a, b) => {
    const order = a.output - b.output || compareText(canonicalJson(a), canonicalJson(b));
    return order >= 0 ? a : b;
  },
);

const lastAt = (turn: Fields) =>
  (turn as SharedTurn).lines.reduce((latest, { at }) => Math.max(latest, at ?? -1), -1);

const branchOfLatest: Together = {
  fields: ["branch"],
  compare: (a, b) =>
    compareParts([lastAt(a), a.branch as string | null], [lastAt(b), b.branch as string | null]),
};

export function joinTurns(a: SharedTurn, b: SharedTurn): SharedTurn {
  const joins = { number: least, abandoned: anyOf, lines: joinAllLines, usage: joinUsage, also: joinPlaces };
  const { also, lines, ...rest } = joinFields(a, b, joins, [branchOfLatest]) as SharedTurn;
  return tidyTurn({ ...rest, also, lines });
}

function joinPlaces(a: unknown, b: unknown): unknown {
  const joined = new Map(Object.entries((a ?? {}) as Record<string, number>));
  for (const [uid, seq] of Object.entries((b ?? {}) as Record<string, number>)) {
    joined.set(uid, Math.min(seq, joined.get(uid) ?? seq));
  }
  return Object.fromEntries(joined);
}

/** Sorts lines, and removes lines with content from `also`. */
export function tidyTurn(turn: SharedTurn): SharedTurn {
  const each = joinAllLines(turn.lines, []) as SharedLine[];
  const lines = each.sort((a, b) => a.seq - b.seq || compareText(lineKey(a), lineKey(b)));
  const said = new Set(lines.map(({ uid }) => uid));
  const also = Object.fromEntries(Object.entries(turn.also).filter(([uid]) => !said.has(uid)));
  const usage = [...turn.usage].sort((a, b) => compareText(a.message, b.message));
  return { ...turn, lines, also, usage };
}

/** Joins turns by id, in order. */
export function joinTranscripts(a: readonly SharedTurn[], b: readonly SharedTurn[]): SharedTurn[] {
  const joined = unionBy<SharedTurn>(({ id }) => id, joinTurns)(a, b) as SharedTurn[];
  return joined.sort((one, other) => one.number - other.number || compareText(one.id, other.id));
}
