import { maxResults } from "../../../base/max-results.ts";
import type { Decision } from "../../../features/decisions/operation.ts";
import { listDecisions } from "../../../features/decisions/operation.ts";
import type { RelatedSession } from "../../../features/related/operation.ts";
import { findRelated } from "../../../features/related/operation.ts";
import { searchTranscripts } from "../../../features/search/operation.ts";
import type { FileAround } from "../../../protocol/graph.ts";
import type { TranscriptSearchResponse } from "../../../protocol/results.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { RelatedOutput, relatedInput } from "../shapes/shapes-search.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted, twoDigits } from "../text/text.ts";
import { ask, type CallContext, type Handler } from "../tool.ts";
import { decisionItem, renderDecision } from "./list-decisions.ts";
import { pathsInside } from "./places.ts";

type Session = RelatedOutput["sessions"][number];

/** Of the files that sessions were looked up for; on the first page. */
const maxLookups = 10;
const filesNamed = 4;
const turnsNamed = 4;
const decisionsNamed = 5;
/** Parts of conversations that a query is looked up in. */
const looked = 200;

export const related: Handler<typeof relatedInput, RelatedOutput> = async (args, context) => {
  const { query = "", files, limit, max_tokens } = args;
  const offset = offsetOf("related", args, args.cursor);
  const found =
    files === undefined && query !== ""
      ? await byQuery(context, query)
      : await byFiles(context, { query, files, limit: Math.min(offset + limit, maxResults) });
  const page = found.sessions.slice(offset, offset + limit);
  const room = roomOf(max_tokens);
  const named = offset > 0 ? [] : namesThatFit(found.files.slice(0, maxLookups), room / 4);
  const decided = offset > 0 ? [] : found.decisions;
  const around = offset > 0 ? [] : found.code;
  const { items: code } = fitIn(around, room / 6, 160, fileAroundNamed, (named) => named);
  const { items: decisions } = fitIn(decided, room / 3, 300, decisionItem, renderDecision);
  const left = room - [named, decisions, code].reduce((sum, part) => sum + JSON.stringify(part).length, 0);
  const { items } = fitIn(page, left, 200, cut, render);
  const { total } = found;
  const end = offset + items.length;
  const next = items.length > 0 && end < total ? cursorAt("related", args, end) : null;
  const notes = found.note === null ? [] : [found.note];
  return {
    structured: {
      label: historyLabel,
      files: named,
      sessions: items,
      decisions,
      code,
      total,
      next_cursor: next,
      notes,
    },
    text: joined(
      [
        items.length === 0 ? "No related session found." : `${historyLabel}\n${items.map(render).join("\n")}`,
        code.length > 0 && `Code around them: ${code.join("; ")}`,
        decisions.length > 0 && `Decisions:\n${decisions.map(renderDecision).join("\n")}`,
        next && `${total - end} more sessions: cursor ${next}`,
        ...notes,
      ],
      "\n",
    ),
  };
};

function namesThatFit(files: readonly string[], room: number): string[] {
  let left = room;
  return files
    .map((file) => oneLine(file, 160))
    .filter((name) => {
      left -= JSON.stringify(name).length + 1;
      return left >= 0;
    });
}

function fileAroundNamed({ file, used_by, uses }: FileAround): string {
  const ways = [
    used_by.length > 0 && `used by ${used_by.join(", ")}`,
    uses.length > 0 && `uses ${uses.join(", ")}`,
  ];
  return oneLine(`${file} (${joined(ways, "; ")})`, 160);
}

interface Related {
  files: string[];
  sessions: Session[];
  total: number;
  decisions: Decision[];
  code: FileAround[];
  note: string | null;
}

/** By the files that they touched. */
async function byFiles(
  context: CallContext,
  { query, files, limit }: { query: string; files: string[] | undefined; limit: number },
): Promise<Related> {
  const file = files && pathsInside(context, files);
  const found = await ask(context, findRelated, { file, q: query, limit });
  const note =
    found.looked_for === 0
      ? "No uncommitted changes. Set files or query."
      : found.files.length === 0
        ? "No recorded session touched these files."
        : null;
  const { decisions, code, total } = found;
  return { files: found.files, sessions: found.sessions.map(sessionOf), total, decisions, code, note };
}

function sessionOf(session: RelatedSession): Session {
  const { session_id, session_title, agent, branch, last_at, score } = session;
  return {
    session_id,
    title: lineOrNull(session_title, 100),
    agent,
    branch: lineOrNull(branch, 100),
    last_at,
    score,
    files: session.files.slice(0, filesNamed).map(({ path, how }) => oneLine(`${path} (${how})`, 160)),
    turns: session.turns.slice(0, turnsNamed).map(({ turn, prompt }) => ({ turn, text: prompt })),
  };
}

/** By their text: a session scores as its best part. */
async function byQuery(context: CallContext, q: string): Promise<Related> {
  const [{ results }, { decisions }] = await Promise.all([
    ask(context, searchTranscripts, { q, mode: "hybrid", limit: looked }),
    ask(context, listDecisions, { q, limit: decisionsNamed }),
  ]);
  const sessions = new Map<string, Session>();
  for (const result of results) {
    const known = sessions.get(result.session_id) ?? begun(result);
    sessions.set(result.session_id, known);
    if (known.turns.length < turnsNamed && !known.turns.some(({ turn }) => turn === result.turn)) {
      known.turns.push({ turn: result.turn, text: result.snippet });
    }
    for (const file of result.files) {
      if (known.files.length < filesNamed && !known.files.includes(file))
        known.files.push(oneLine(file, 160));
    }
  }
  return {
    files: [],
    sessions: [...sessions.values()],
    total: sessions.size,
    decisions,
    code: [],
    note: null,
  };
}

function begun(result: TranscriptSearchResponse["results"][number]): Session {
  return {
    session_id: result.session_id,
    title: lineOrNull(result.session_title, 100),
    agent: result.agent,
    branch: lineOrNull(result.branch, 100),
    last_at: result.timestamp,
    score: twoDigits(result.score),
    files: [],
    turns: [],
  };
}

function cut(session: Session, longest: number): Session {
  const turns = session.turns.map(({ turn, text }) => ({
    turn,
    text: oneLine(text || "(before the first prompt)", longest),
  }));
  return { ...session, turns };
}

function render(session: Session): string {
  const { session_id, title, agent, branch, last_at, score, files, turns } = session;
  const place = joined([shortId(session_id), minute(last_at), branch, agent, score.toFixed(2)]);
  return joined(
    [
      `${place}${title === null ? "" : `  "${title}"`}`,
      files.length > 0 && `  files: ${files.join(", ")}`,
      ...turns.map(({ turn, text }) => quoted(`turn ${turn}: ${text}`)),
    ],
    "\n",
  );
}
