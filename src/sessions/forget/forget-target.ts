import { RE2JS } from "re2js";
import { PommelError } from "../../base/errors.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { NoteRecord, SessionRecord } from "../../store/memory/memory-records.ts";
import {
  emptyForgetRequest,
  findRangeToForget,
  type RowsToForget,
} from "../../store/memory/privacy/forget.ts";
import { findSession, findSessionById, listSessions } from "../../store/memory/sessions/sessions.ts";
import { findTurn, listTurns } from "../../store/memory/sessions/turns.ts";
import { readStoredTurns } from "../turn-content.ts";

/** What to forget, as the route and the command line express it: exactly one of the first five, or a time. */
export interface ForgetAsked {
  /** An id, or the beginning that no other has. */
  session?: string | undefined;
  /** `<session>:<turn>`. */
  turn?: string | undefined;
  /** An id, or the beginning that no other has. */
  annotation?: string | undefined;
  /** In RE2's syntax; its matches are cut out of everything. */
  pattern?: string | undefined;
  /** Cut out of everything, wherever it stands word for word. */
  text?: string | undefined;
  /** ISO 8601 or in words. */
  since?: string | undefined;
  until?: string | undefined;
}

/** What to forget: rows of the store, or every match of a pattern. */
export type ForgetTarget = { rows: RowsToForget } | { pattern: string };

/** At most this many examples. */
const maxExamples = 20;

/**
 * @throws PommelError `usage` when not exactly one thing is asked for, or it makes no sense; `not_found`
 */
export async function forgetTarget(memory: Memory, asked: ForgetAsked, now: Date): Promise<ForgetTarget> {
  const { session, turn, annotation, since, until } = asked;
  const hasTime = since !== undefined || until !== undefined;
  const named = [session, turn, annotation, asked.pattern, asked.text].filter((name) => name !== undefined);
  if (named.length + (hasTime ? 1 : 0) !== 1) {
    throw new PommelError(
      "usage",
      named.length === 0 ? "Nothing to forget is named." : "Forget one thing at a time.",
      "Name a session, a turn, a note, a text, a pattern or a time.",
    );
  }
  const pattern = getPatternToForget(asked);
  if (pattern !== undefined) return { pattern };
  if (session !== undefined)
    return { rows: { ...emptyForgetRequest, sessions: [findSession(memory, session).id] } };
  if (annotation !== undefined) {
    return { rows: { ...emptyForgetRequest, annotations: [findNote(memory, annotation).id] } };
  }
  if (turn !== undefined) return { rows: turnRows(memory, turn) };
  const period = await parsePeriod({ since, until }, now);
  const [from, to] = [period.since ?? 0, period.until ?? now.getTime()];
  if (from > to) {
    throw new PommelError("usage", "The period ends before it starts.", "Swap --since and --until.");
  }
  return { rows: withSubagents(memory, findRangeToForget(memory, from, to)) };
}

/** The pattern whose matches are cut out; undefined: something else is forgotten. */
export const getPatternToForget = ({ pattern, text }: Pick<ForgetAsked, "pattern" | "text">) =>
  text === undefined ? pattern : RE2JS.quote(text);

function turnRows(memory: Memory, asked: string): RowsToForget {
  const [, name = "", number = ""] = /^(.+):(\d+)$/.exec(asked) ?? [];
  if (name === "") {
    throw new PommelError("usage", `${JSON.stringify(asked)} is not a turn.`, "A turn is SESSION:NUMBER.");
  }
  const session = findSession(memory, name);
  if (findTurn(memory, session.id, Number(number)) === null) {
    throw new PommelError(
      "not_found",
      `The session ${session.uid} has no turn ${number}.`,
      `\`pm session show ${session.uid}\` lists its turns.`,
    );
  }
  return withSubagents(memory, { ...emptyForgetRequest, turns: new Map([[session.id, [Number(number)]]]) });
}

/**
 * A note by its id, or the beginning that no other has.
 * @throws PommelError `usage` when several begin so, `not_found`
 */
export function findNote(memory: Memory, beginning: string): NoteRecord {
  const all = listStoredNotes(memory);
  const found = all.filter(({ uid }) => uid.startsWith(beginning));
  const exact = all.find(({ uid }) => uid === beginning);
  if (exact) return exact;
  const hint = "`pm memory notes --json` lists their ids.";
  if (beginning === "" || found.length > 1) {
    throw new PommelError("usage", `Several notes begin with ${JSON.stringify(beginning)}.`, hint);
  }
  if (!found[0]) throw new PommelError("not_found", `No note ${JSON.stringify(beginning)}.`, hint);
  return found[0];
}

/** With the sessions of subagents that the turns started. */
function withSubagents(memory: Memory, request: RowsToForget): RowsToForget {
  const sessions = new Set(request.sessions);
  for (const [id, numbers] of request.turns) {
    const children = listSessions(memory, { children: id });
    if (children.length === 0) continue;
    const uses = new Set<string>();
    for (const number of numbers) {
      for (const { lines } of readStoredTurns(memory, id, { first: number, last: number })) {
        for (const { entries } of lines) {
          for (const entry of entries) if (entry.kind === "tool_use") uses.add(entry.id);
        }
      }
    }
    for (const child of children) if (uses.has(child.parentToolUse ?? "")) sessions.add(child.id);
  }
  return { ...request, sessions: [...sessions] };
}

/** The subjects of rows, in a line each: titles, prompts, notes. */
export function listForgetExamples(memory: Memory, { sessions, turns, annotations }: RowsToForget): string[] {
  const examples: string[] = [];
  for (const id of sessions) {
    const session = findSessionById(memory, id);
    if (session) examples.push(formatSessionLine(session));
  }
  for (const [id, numbers] of turns) {
    const wanted = new Set(numbers);
    const uid = findSessionById(memory, id)?.uid ?? "";
    for (const { number, prompt } of listTurns(memory, id)) {
      if (wanted.has(number)) examples.push(`${uid}:${number}  ${prompt}`);
    }
  }
  const notes = new Set(annotations);
  for (const { id, note } of listStoredNotes(memory)) if (notes.has(id)) examples.push(`note  ${note}`);
  return examples.slice(0, maxExamples);
}

const formatSessionLine = ({ uid, title }: SessionRecord) => `${uid}  ${nameTitle(title)}`;
