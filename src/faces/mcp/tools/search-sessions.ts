import type * as z from "zod/mini";
import { PommelError } from "../../../base/errors.ts";
import { maxResults } from "../../../base/max-results.ts";
import { visible } from "../../../base/text/quotation.ts";
import { fateOf, formatFreshness } from "../../../features/search/format-commit-fate.ts";
import { excerptOf, resultType, snippetText } from "../../../features/search/found-words.ts";
import type { TranscriptSearchRequest } from "../../../features/search/operation.ts";
import { searchEverywhere, searchTranscripts } from "../../../features/search/operation.ts";
import type { SessionSummary } from "../../../features/sessions/operation.ts";
import { listSessions, sessionsEverywhere } from "../../../features/sessions/operation.ts";
import { labelWords, sharedBy } from "../../../protocol/origin.ts";
import { adviseOn, describeNothingYet } from "../../../protocol/reading/evidence.ts";
import type { Coverage, TranscriptSearchResponse } from "../../../protocol/results.ts";
import type { Verdict } from "../../../protocol/values.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { SearchSessionsOutput, searchSessionsInput } from "../shapes/shapes-search.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted } from "../text/text.ts";
import {
  acrossOf,
  ask,
  askEverywhere,
  type CallContext,
  type Handler,
  otherProject,
  skippedNotes,
} from "../tool.ts";
import { pathsInside } from "./places.ts";

/** What search_sessions finds, before it is cut to what fits. */

type FoundSession = SearchSessionsOutput["results"][number];
type Args = z.infer<typeof searchSessionsInput>;
type Result = TranscriptSearchResponse["results"][number] & { project?: string };

interface Found {
  /** null: nothing was asked. */
  verdict: Verdict | null;
  coverage: Coverage | null;
  results: FoundSession[];
  total: number;
  notes: string[];
}

const filesNamed = 5;
const turnsNamed = 5;
/** Of the text around what matches; the answer's budget cuts it further. Characters. */
const longest = 4000;

/** Parts of conversations that match, best first. */
async function found(args: Args, q: string, context: CallContext): Promise<Found> {
  const request = requestOf(args, q, context);
  const here = acrossOf(args, context);
  if (here !== null) {
    const asked = { ...request, asks: ["transcripts" as const] };
    const across = await askEverywhere(here, searchEverywhere, asked, context);
    const { transcripts } = across;
    const { verdict = "probably_not_here", results = [], total_results = 0, notes = [] } = transcripts ?? {};
    const placed = (result: Result) =>
      itemOf(result, result.project === undefined ? null : otherProject(result.project, here, context));
    return {
      verdict,
      coverage: transcripts?.coverage ?? null,
      results: results.map(placed),
      total: Math.min(total_results, maxResults),
      notes: wholeNotes([...notes, ...skippedNotes(across.left_out)]),
    };
  }
  const found = await ask(context, searchTranscripts, request);
  return {
    verdict: found.verdict,
    coverage: found.coverage ?? null,
    results: found.results.map((result) => itemOf(result, null)),
    total: Math.min(found.total_results, maxResults),
    notes: wholeNotes(found.notes),
  };
}

function requestOf(args: Args, q: string, context: CallContext): TranscriptSearchRequest {
  const {
    query: _,
    files,
    session_id,
    project: __,
    all_projects: ___,
    limit,
    cursor: ____,
    max_tokens: _____,
    ...filters
  } = args;
  return {
    ...filters,
    q,
    limit: Math.min(limit, maxResults),
    ...(files && { file: pathsInside(context, files) }),
    ...(session_id && {
      session: session_id === "current" ? (context.ownSession ?? session_id) : session_id,
    }),
  };
}

function itemOf(result: Result, project: string | null): FoundSession {
  const { turn, last_turn, freshness } = result;
  return {
    session_id: result.session_id,
    title: lineOrNull(result.session_title, 120),
    agent: result.agent,
    author: lineOrNull(result.author ?? null, 100),
    branch: lineOrNull(result.branch, 100),
    project,
    // What is about a whole session, and a note from a shell, is in no turn.
    turn: last_turn === 0 ? null : Math.max(turn, 1),
    last_turn: last_turn > Math.max(turn, 1) ? last_turn : null,
    turns: null,
    kind: resultType(result) || null,
    timestamp: result.timestamp,
    note: lineOrNull(result.annotation, 300),
    note_by: result.note_by ?? null,
    // Of a note from a shell there is nothing but the note.
    snippet:
      last_turn === 0 && result.annotation !== null
        ? ""
        : snippetText(visible(excerptOf(result))).slice(0, longest),
    other_turns: result.other_turns
      .slice(0, turnsNamed)
      .map((other) => other.turn)
      .sort((a, b) => a - b),
    more_turns: result.more_turns,
    files: result.files.slice(0, filesNamed).map((file) => oneLine(file, 200)),
    freshness,
    is_abandoned: result.abandoned,
    rejected: lineOrNull(result.rejected, 200),
    commits: result.commits.map(ledTo),
  };
}

/** `abc1234 "Make refresh atomic" (on HEAD, 34 of 40 lines left)`. */
function ledTo(commit: Result["commits"][number]): string {
  const facts = fateOf(commit);
  const fate = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return oneLine(`${commit.commit.slice(0, 7)} "${oneLine(commit.subject, 80)}"${fate}`, 200);
}

/** The latest sessions, where nothing is asked. */
export async function listed(args: Args, context: CallContext): Promise<Found> {
  const { since, until, branch, agent, mine, topic } = args;
  const beside = (
    ["in", "mode", "by", "kind", "type", "files", "session_id", "commit", "event"] as const
  ).filter((name) => args[name] !== undefined);
  if (beside.length > 0) {
    throw new PommelError(
      "usage",
      `Without a query, ${beside.join(" and ")} ${beside.length === 1 ? "has" : "have"} no effect.`,
      "Set query. Sessions by files: related. One session: get_session.",
    );
  }
  const request = {
    limit: Math.min(args.limit, maxResults),
    ...(since && { since }),
    ...(until && { until }),
    ...(branch && { branch }),
    ...(agent && { agent }),
    ...(mine && { mine }),
    ...(topic && { topic }),
  };
  const here = acrossOf(args, context);
  if (here !== null) {
    const across = await askEverywhere(here, sessionsEverywhere, request, context);
    const results = across.sessions.map((session) =>
      sessionItem(session, otherProject(session.project, here, context)),
    );
    return {
      verdict: null,
      coverage: null,
      results,
      total: Math.min(across.total, maxResults),
      notes: wholeNotes(skippedNotes(across.left_out)),
    };
  }
  const { sessions, total } = await ask(context, listSessions, request);
  return {
    verdict: null,
    coverage: null,
    results: sessions.map((session) => sessionItem(session, null)),
    total: Math.min(total, maxResults),
    notes: [],
  };
}

function sessionItem(session: SessionSummary, project: string | null): FoundSession {
  return {
    session_id: session.id,
    title: lineOrNull(session.title, 120),
    agent: session.agent,
    author: lineOrNull(session.author ?? null, 100),
    branch: lineOrNull(session.branch, 100),
    project,
    turn: null,
    last_turn: null,
    turns: session.turns,
    kind: null,
    timestamp: session.last_at,
    note: null,
    snippet: [
      session.started_at === null ? "" : `began ${minute(session.started_at)}`,
      session.topics.length === 0 ? "" : `about ${oneLine(session.topics.join(", "), 200)}`,
    ]
      .filter((part) => part !== "")
      .join("; "),
    ...{ other_turns: [], more_turns: 0 },
    files: [],
    freshness: null,
    note_by: null,
    is_abandoned: false,
    rejected: null,
    commits: [],
  };
}

const wholeNotes = (notes: readonly string[]) =>
  [...new Set(notes)].slice(0, 5).map((note) => oneLine(note, 200));

const labelOf = ({ note_by, author }: FoundSession) =>
  `${labelWords("note", { by: note_by ?? "tool", author }, "agent")}:`;

/** What was found in a session, for a model: where and when, the text, what it led to. */
function renderFound(item: FoundSession): string {
  const { turn, last_turn, turns, files, freshness, other_turns, more_turns } = item;
  const isLoneNote = turn === null && item.note !== null;
  const place = joined([
    isLoneNote ? "note" : shortId(item.session_id),
    turn !== null && `turn ${last_turn === null ? turn : `${turn}-${last_turn}`}`,
    turns !== null && `${turns} turns`,
    minute(item.timestamp),
    item.branch,
    !isLoneNote && item.agent,
    sharedBy(item.author),
    !isLoneNote && item.kind,
    item.is_abandoned && "abandoned branch",
    item.project,
  ]);
  const touched =
    files.length > 0 && `  files: ${files.join(", ")}${freshness ? ` (${formatFreshness[freshness]})` : ""}`;
  return joined(
    [
      `${place}${item.title === null ? "" : `  "${item.title}"`}`,
      item.rejected !== null && `Rejected later:\n${quoted(item.rejected)}`,
      item.note !== null && `${labelOf(item)}\n${quoted(item.note)}`,
      item.snippet !== "" && (turns === null ? quoted(item.snippet) : `  ${item.snippet}`),
      more_turns > 0 &&
        `  also turn${more_turns === 1 ? "" : "s"} ${other_turns.join(", ")}${more_turns > other_turns.length ? ", …" : ""}`,
      touched,
      ...item.commits.map((commit) => `  led to ${commit}`),
    ],
    "\n",
  );
}

export const searchSessions: Handler<typeof searchSessionsInput, SearchSessionsOutput> = async (
  args,
  context,
) => {
  const { query, limit, max_tokens } = args;
  const offset = offsetOf("search_sessions", args, args.cursor);
  const asked = { ...args, limit: offset + limit };
  const answer = query === undefined ? await listed(asked, context) : await found(asked, query, context);
  const page = answer.results.slice(offset, offset + limit);
  const room = roomOf(max_tokens);
  const each = Math.max(Math.floor(room / Math.min(Math.max(page.length, 1), 6)) - 300, 120);
  const make = (one: FoundSession, longest: number) => ({ ...one, snippet: oneLine(one.snippet, longest) });
  const { items } = fitIn(page, room, each, make, renderFound);
  const end = offset + items.length;
  const next = items.length > 0 && end < answer.total ? cursorAt("search_sessions", args, end) : null;
  const { notes, total, verdict, coverage } = answer;
  const judged = verdict && { verdict, coverage: coverage ?? undefined };
  return {
    structured: { label: historyLabel, verdict, coverage, results: items, total, next_cursor: next, notes },
    text: joined(
      [
        items.length > 0
          ? judged && adviseOn(judged)
          : coverage
            ? describeNothingYet(coverage)
            : nothing(query),
        items.length > 0 && `${historyLabel}\n${items.map(renderFound).join("\n")}`,
        next && `${total - end} more: cursor ${next}`,
        items.length > 0 && query !== undefined && "A turn in full: get_session with session_id and turn.",
        ...notes,
      ],
      "\n",
    ),
  };
};

function nothing(query: string | undefined): string {
  if (query === undefined) return "No matching sessions.";
  return `Nothing found in past sessions about "${oneLine(query, 100)}". Try other words or fewer filters.`;
}
