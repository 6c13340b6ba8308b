import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { isCheck } from "../../sessions/chunks/units/tool-results.ts";
import { listStoredDecisions } from "../../sessions/decisions/stored.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { questionsResponse } from "./operation.ts";

type Finding = NonNullable<Shaped<typeof questionsResponse>["finding"]>;

/** A line of the terminal, with what is said around it. Characters. */
const maxQuoteLength = 160;
/** Commands that are looked through, the latest; and in how many sessions one worked that is worth a word. */
const maxCommands = 2000;
const minSessions = 3;
/**
 * One thing of a person's own past that is true, as its place shows: what was decided last, in the person's words; else the
 * test, build or other check that worked in most sessions. null: there is none.
 */
export function findInPast(memory: Memory): Finding | null {
  return findLastDecision(memory) ?? findUsualCommand(memory);
}

function findLastDecision(memory: Memory): Finding | null {
  const last = listStoredDecisions(memory).findLast(
    ({ by, author, supersededBy, text }) =>
      by === "person" && author === null && supersededBy === null && isShort(text),
  );
  if (last === undefined) return null;
  const { text: quote, sessionUid: session_id, turn, at } = last;
  return { about: "decision", quote, session_id, turn, at: formatIsoTime(at), sessions: 1 };
}

function findUsualCommand(memory: Memory): Finding | null {
  const byForm = new Map<string, { sessions: Set<string>; latest: Finding }>();
  for (const { form, line, author, sessionUid: session_id, turn, at } of listCommands(memory, {
    outcome: "worked",
    limit: maxCommands,
  })) {
    if (author !== null || !isCheck(line) || !isShort(line)) continue;
    // The latest comes first, and stands for all.
    const latest: Finding = {
      about: "command",
      quote: line,
      session_id,
      turn,
      at: formatIsoTime(at),
      sessions: 1,
    };
    const known = byForm.get(form) ?? { sessions: new Set(), latest };
    byForm.set(form, known);
    known.sessions.add(session_id);
  }
  const [best] = [...byForm.values()].sort((a, b) => b.sessions.size - a.sessions.size);
  return best === undefined || best.sessions.size < minSessions
    ? null
    : { ...best.latest, sessions: best.sessions.size };
}

const isShort = (text: string): boolean => text.length <= maxQuoteLength && !text.includes("\n");
