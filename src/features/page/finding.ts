import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { isCheck } from "../../sessions/commands/checks.ts";
import { listStoredDecisions } from "../../sessions/decisions/stored.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions, readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { listContestedFiles, listFirstEdits } from "../../store/memory/sessions/turns.ts";
import type { questionsResponse } from "./operation.ts";

type Finding = NonNullable<Shaped<typeof questionsResponse>["finding"]>;

/** A line of the terminal, with what is said around it. Characters. */
const maxQuoteLength = 160;
/** Commands that are looked through, the latest; and in how many sessions one worked that is worth a word. */
const maxCommands = 2000;
const minSessions = 3;
/** Files that are looked at, those of the most sessions first, and how many sessions of each. */
const maxFiles = 5;
const maxEdits = 200;

/**
 * One thing of a person's own past that is true, as its place shows: what was decided last, in the person's words; else the
 * test, build or other check that worked in most sessions; else the file that most sessions edited; else the last session.
 * null: there is none.
 */
export function findInPast(memory: Memory): Finding | null {
  return (
    findLastDecision(memory) ??
    findUsualCommand(memory) ??
    findMostEditedFile(memory) ??
    findLastSession(memory)
  );
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

function findMostEditedFile(memory: Memory): Finding | null {
  const found = listContestedFiles(memory, maxFiles).map(({ path }) => {
    const edits = listFirstEdits(memory, { path }, { until: null, limit: maxEdits });
    const sessions = readSessionsByIds(
      memory,
      edits.map(({ sessionId }) => sessionId),
    );
    // A person's own, and not those of subagents.
    const own = edits.flatMap(({ sessionId, turn }) => {
      const session = sessions.get(sessionId);
      return session?.author === null && session.parentId === null ? [{ session, turn }] : [];
    });
    return { path, own };
  });
  const [most] = found.toSorted((a, b) => b.own.length - a.own.length);
  const latest = most?.own[0];
  if (most === undefined || latest === undefined || most.own.length < 2 || !isShort(most.path)) return null;
  return {
    about: "file",
    quote: most.path,
    session_id: latest.session.uid,
    turn: latest.turn,
    at: formatIsoTime(latest.session.startedAt),
    sessions: most.own.length,
  };
}

function findLastSession(memory: Memory): Finding | null {
  for (const { title, uid, lastAt } of listSessions(memory, { shared: false, remembered: true, limit: 10 })) {
    if (title === null || !isShort(title)) continue;
    return {
      about: "session",
      quote: title,
      session_id: uid,
      turn: 1,
      at: formatIsoTime(lastAt),
      sessions: 1,
    };
  }
  return null;
}

const isShort = (text: string): boolean => text.length <= maxQuoteLength && !text.includes("\n");
