import { PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import { stripInvisible, toHarmlessLine } from "../../base/text/quotation.ts";
import { charactersOfToken, shortenText } from "../../base/text/text-size.ts";
import type { CheckpointSummary } from "../../features/checkpoints/operation.ts";
import { listCheckpoints, showCheckpoint } from "../../features/checkpoints/operation.ts";
import { fix } from "../../features/fix/operation.ts";
import { how } from "../../features/how/operation.ts";
import { findLostText } from "../../features/lost/operation.ts";
import {
  formatTurnPlace,
  toCommandClaim,
  toCommitClaim,
  toDecisionClaim,
  toErrorClaim,
  toFoundClaim,
  toSessionClaim,
} from "../../features/recall/claims.ts";
import { recall } from "../../features/recall/operation.ts";
import { historyLabel, wordClaim } from "../../features/recall/words.ts";
import { findRelated } from "../../features/related/operation.ts";
import { previewRewind } from "../../features/rewind/operation.ts";
import {
  searchEverywhere,
  searchHistory,
  searchTranscripts,
  type TranscriptSearchRequest,
} from "../../features/search/operation.ts";
import {
  listSessions,
  type SessionsRequest,
  sessionsEverywhere,
  showSession,
} from "../../features/sessions/operation.ts";
import { adviseOn, describeNothingYet, linkEvidence } from "../../protocol/reading/evidence.ts";
import type { Coverage, TranscriptSearchResponse } from "../../protocol/results.ts";
import type { Verdict } from "../../protocol/values.ts";
import { fitLines, makeCursor, readCursorOffset } from "./text/budget.ts";
import { formatMinute, joinPresent, shortenToLine } from "./text/text.ts";
import {
  ask,
  askEverywhere,
  type CallContext,
  describeSkipped,
  findOtherRoot,
  resolveSearchScope,
} from "./tool.ts";
import { toProjectPaths } from "./tools/places.ts";
import { resolveCurrentId } from "./tools/recall.ts";

/**
 * What the tools of the source documents and of earlier versions ask for, in today's words: operations of the same names, whose
 * answers are worded as claims. old-names.ts has their names.
 */

/** Arguments that any list takes. */
export interface Paged {
  limit?: number | undefined;
  cursor?: string | undefined;
  max_tokens?: number | undefined;
}

interface Page {
  /** What stands above. */
  head?: (string | null)[];
  lines: readonly string[];
  /** Said where there are no lines. */
  none: string;
  notes?: readonly string[];
}

const defaultTokens = 1000;
const defaultLimit = 10;

/** As many lines as fit, with a cursor to go on. */
function formatPage(
  name: string,
  args: Paged & object,
  { head = [], lines, none, notes = [] }: Page,
): string {
  const { limit, cursor, max_tokens = defaultTokens } = args;
  const offset = readCursorOffset(name, { ...args }, cursor);
  const above = head.filter((line) => line !== null);
  const room = max_tokens * charactersOfToken - [historyLabel, ...above, ...notes].join("\n").length - 80;
  const shown = fitLines(lines.slice(offset, limit === undefined ? undefined : offset + limit), room);
  const end = offset + shown.length;
  const left = lines.length - end;
  return [
    ...(shown.length === 0 ? [none] : [...above, historyLabel, ...shown]),
    ...(left > 0 && shown.length > 0 ? [`${left} more: cursor ${makeCursor(name, { ...args }, end)}`] : []),
    ...notes.slice(0, 5).map((note) => shortenToLine(note, 200)),
  ].join("\n");
}

/** How many results a page needs. */
const countNeeded = (name: string, args: Paged & object, fallback = defaultLimit): number =>
  Math.min(
    readCursorOffset(name, { ...args }, args.cursor) + (args.limit ?? fallback) + defaultLimit,
    maxResults,
  );

type SearchArgs = Omit<TranscriptSearchRequest, "q" | "file" | "session" | "limit"> &
  Paged & {
    query?: string | undefined;
    files?: string[] | undefined;
    session_id?: string | undefined;
    topic?: string | undefined;
    project?: string | undefined;
    all_projects?: boolean | undefined;
  };

type Found = TranscriptSearchResponse["results"][number];

export async function searchSessions(args: SearchArgs, context: CallContext): Promise<string> {
  const {
    query,
    files,
    session_id,
    topic: _,
    project: __,
    all_projects: ___,
    cursor: ____,
    max_tokens: _____,
    ...filters
  } = args;
  if (query === undefined) return listLatest(args, context);
  const limit = countNeeded("search_sessions", args);
  const request: TranscriptSearchRequest = {
    ...filters,
    q: query,
    limit,
    ...(files && { file: toProjectPaths(context, files) }),
    ...(session_id && { session: resolveCurrentId(session_id, context) }),
  };
  const here = resolveSearchScope(args, context);
  const answer: FoundAnswer =
    here === null
      ? await ask(context, searchTranscripts, request)
      : await searchAllProjects(here, request, context);
  return formatPage("search_sessions", args, {
    head: [adviseOn(answer)],
    lines: answer.results.map((result) => wordFound(result, here, context)),
    none: answer.coverage
      ? describeNothingYet(answer.coverage)
      : `Nothing found in past sessions about “${shortenToLine(query, 100)}”. Try other words or fewer filters.`,
    notes: answer.notes,
  });
}

interface FoundAnswer {
  verdict: Verdict;
  coverage?: Coverage | undefined;
  results: readonly (Found & { project?: string })[];
  notes: readonly string[];
}

async function searchAllProjects(
  here: NonNullable<CallContext["across"]>,
  request: TranscriptSearchRequest,
  context: CallContext,
): Promise<FoundAnswer> {
  const asked = { ...request, asks: ["transcripts" as const] };
  const { transcripts, left_out } = await askEverywhere(here, searchEverywhere, asked, context);
  const none: FoundAnswer = { verdict: "probably_not_here", results: [], notes: [] };
  const found = transcripts ?? none;
  return { ...found, notes: [...found.notes, ...describeSkipped(left_out)] };
}

function wordFound(
  result: Found & { project?: string },
  here: CallContext["across"],
  context: CallContext,
): string {
  const project = result.project === undefined ? null : findOtherRoot(result.project, here, context);
  const files = result.files.slice(0, 4).map((file) => toHarmlessLine(file));
  const others = result.other_turns.slice(0, 5).map(({ turn }) => turn);
  return joinPresent(
    [
      wordClaim(toFoundClaim(result)),
      result.session_title === null ? null : `“${shortenText(toHarmlessLine(result.session_title), 80)}”`,
      others.length > 0 && `also turns ${others.join(", ")}`,
      files.length > 0 && `files: ${files.join(", ")}`,
      project,
    ],
    " ",
  );
}

/** The latest sessions, where nothing is asked. */
async function listLatest(args: SearchArgs, context: CallContext): Promise<string> {
  const { since, until, branch, agent, mine, topic } = args;
  const names = ["in", "mode", "by", "kind", "type", "files", "session_id", "commit", "event"] as const;
  const beside = names.filter((name) => args[name] !== undefined);
  const request: SessionsRequest = {
    since,
    until,
    branch,
    agent,
    mine,
    topic,
    limit: countNeeded("search_sessions", args),
  };
  const here = resolveSearchScope(args, context);
  const { sessions, left_out = [] } =
    here === null
      ? { ...(await ask(context, listSessions, request)), left_out: [] }
      : await askEverywhere(here, sessionsEverywhere, request, context);
  return formatPage("search_sessions", args, {
    lines: sessions.map((session) => {
      const root = "project" in session ? findOtherRoot(String(session.project), here, context) : null;
      return joinPresent([wordClaim(toSessionClaim(session)), root], " ");
    }),
    none: "No matching sessions.",
    notes: [
      ...(beside.length > 0
        ? [`Without a query, ${beside.join(" and ")} ${beside.length === 1 ? "has" : "have"} no effect.`]
        : []),
      ...describeSkipped(left_out),
    ],
  });
}

export async function summarise(
  args: { session_id?: string | undefined; max_tokens?: number | undefined },
  context: CallContext,
): Promise<string> {
  const id = await resolveSessionId(context, args.session_id);
  const { session, summary, files, turns } = await ask(context, showSession, { id });
  const changed = files.filter(({ how }) => how !== "read").map(({ path }) => toHarmlessLine(path));
  const room = (args.max_tokens ?? defaultTokens) * charactersOfToken - 600;
  const asked = turns.filter(({ prompt, abandoned }) => prompt !== "" && !abandoned);
  const lines =
    summary === null
      ? [asked[0], asked.length > 1 ? asked.at(-1) : undefined].flatMap((turn, i) =>
          turn === undefined
            ? []
            : [`${i === 0 ? "First" : "Last"} prompt: “${shortenText(toHarmlessLine(turn.prompt), 300)}”`],
        )
      : [
          `Summary up to turn ${summary.up_to_turn}:`,
          ...shortenText(stripInvisible(summary.text).trim(), room)
            .split("\n")
            .map((line) => `> ${line}`),
        ];
  return joinPresent(
    [
      historyLabel,
      wordClaim(toSessionClaim(session)),
      ...(lines.length === 0 ? ["Nothing stored to summarise."] : lines),
      summary !== null &&
        summary.up_to_turn < (turns.at(-1)?.number ?? 0) &&
        `It went on after turn ${summary.up_to_turn}: recall with its id.`,
      changed.length > 0 &&
        `Changed: ${changed.slice(0, 12).join(", ")}${changed.length > 12 ? ` and ${changed.length - 12} more` : ""}`,
    ],
    "\n",
  );
}

/**
 * The session that an agent means: by an id or the beginning of one, "current", or without any the latest of the others.
 * @throws PommelError `not_found`, `usage`
 */
export async function resolveSessionId(context: CallContext, id: string | undefined): Promise<string> {
  if (id !== undefined) return resolveCurrentId(id, context);
  const { sessions } = await ask(context, listSessions, { limit: 2 });
  const latest = sessions.find((session) => session.id !== context.ownSession);
  if (latest) return latest.id;
  throw new PommelError("not_found", "No past sessions recorded yet.", "`pm status` shows what is recorded.");
}

export async function decisions(
  args: Paged & {
    query?: string;
    files?: string[];
    branch?: string;
    since?: string;
    until?: string;
    project?: string;
  },
  context: CallContext,
): Promise<string> {
  const { query, files = [], branch, since, until } = args;
  const request = {
    branch,
    since,
    until,
    kind: ["decision" as const],
    ...(query !== undefined && { about: query }),
    ...(files.length > 0 && { file: toProjectPaths(context, files) }),
    limit: countNeeded("list_decisions", args, 15),
  };
  const { claims } = await ask(context, recall, request);
  return formatPage("list_decisions", args, {
    lines: claims.map(wordClaim),
    none: `No decisions found${query === undefined ? "" : ` about “${shortenToLine(query, 100)}”`}.`,
  });
}

export async function checkpoints(
  args: Paged & { query?: string; session_id?: string; branch?: string; since?: string; until?: string },
  context: CallContext,
): Promise<string> {
  const { query, session_id, branch, since, until } = args;
  const session = session_id === undefined ? undefined : resolveCurrentId(session_id, context);
  const limit = countNeeded("list_checkpoints", args, 20);
  if (query === undefined) {
    const found = await ask(context, listCheckpoints, { session, branch, since, until, limit });
    return formatPage("list_checkpoints", args, {
      lines: found.checkpoints.map(wordCheckpoint),
      none: "No matching checkpoints.",
    });
  }
  const found = await ask(context, searchHistory, {
    q: query,
    of: ["commits"],
    limit,
    session,
    since,
    until,
  });
  return formatPage("list_checkpoints", args, {
    head: [adviseOn(found)],
    lines: found.results.flatMap((one) => (one.kind === "commit" ? [wordClaim(toCommitClaim(one))] : [])),
    none: found.coverage
      ? describeNothingYet(found.coverage)
      : `Nothing found in commits about “${shortenToLine(query, 100)}”.`,
    notes: [...(branch === undefined ? [] : ["With a query, branch has no effect."]), ...found.notes],
  });
}

function wordCheckpoint(checkpoint: CheckpointSummary): string {
  const { id, subject, author, branch, committed_at, insertions, deletions, lines, rewritten_as, sessions } =
    checkpoint;
  const all = lines.agent + lines.human + lines.unknown;
  return joinPresent(
    [
      `${id} “${shortenText(toHarmlessLine(subject), 120)}”`,
      formatMinute(committed_at),
      branch,
      shortenToLine(author, 80),
      `+${insertions} -${deletions}`,
      all > 0 && `${Math.round((100 * lines.agent) / all)}% by agents`,
      rewritten_as.length > 0 && `now ${rewritten_as.at(-1)!.slice(0, 8)}`,
      ...sessions
        .slice(0, 3)
        .map(
          ({ session_id, turns, ...link }) =>
            `${formatTurnPlace(session_id, turns.at(-1) ?? null)} ${linkEvidence(link)}`,
        ),
    ],
    " | ",
  );
}

export async function rewind(
  args: { target: string; patch?: boolean; max_tokens?: number },
  context: CallContext,
): Promise<string> {
  const { target, patch = false, max_tokens = 2000 } = args;
  const answer = await ask(context, previewRewind, { target, patch });
  const id = answer.checkpoint ?? answer.commit.slice(0, 12);
  const made = answer.checkpoint && (await ask(context, showCheckpoint, { id })).diff_summary;
  const { changed_since: since, branches, reverted_by } = answer;
  const files = (since?.files ?? []).map(
    ({ path, insertions, deletions }) =>
      `  ${toHarmlessLine(path)} ${insertions === null ? "(binary)" : `+${insertions} -${deletions}`}`,
  );
  const head = [
    historyLabel,
    joinPresent([
      `${id} ${answer.commit.slice(0, 8)} “${shortenText(toHarmlessLine(answer.subject), 160)}”`,
      formatMinute(answer.committed_at),
      answer.branch,
      reverted_by === null ? null : `reverted by ${reverted_by.slice(0, 8)}`,
      answer.reach === "elsewhere" &&
        (branches.length > 0 ? `on ${branches.slice(0, 3).join(", ")} only` : "on no branch"),
    ]),
    ...(made === null ? [] : [`It changed ${shortenToLine(made, 300)}`]),
    ...answer.sessions
      .slice(0, 3)
      .flatMap(({ session_id, turns, state, lines }) => [
        `session ${formatTurnPlace(session_id, null)}, ${lines} lines`,
        ...turns
          .slice(-3)
          .map(({ turn, prompt }) => `  turn ${turn}: “${shortenText(toHarmlessLine(prompt), 160)}”`),
        ...(state?.said ? [`  said last: “${shortenText(toHarmlessLine(state.said), 160)}”`] : []),
        ...(state?.todos ?? [])
          .slice(0, 5)
          .map(({ text, status }) => `  todo ${status}: “${shortenText(toHarmlessLine(text), 120)}”`),
      ]),
    ...(since
      ? [
          `Since then: ${answer.ahead ?? "?"} commits, ${since.files_total} files, +${since.insertions} -${since.deletions}`,
        ]
      : []),
  ];
  const next = `To go back, let the user run: pm checkpoint rewind ${id} --restore (or --worktree DIR, a separate checkout).`;
  const room = max_tokens * charactersOfToken - [...head, next, ...answer.notes].join("\n").length - 100;
  const shown = fitLines(files, patch ? room * 0.3 : room);
  const more = (since?.files_total ?? 0) - shown.length;
  const changes = fitLines(
    (answer.patch ?? "").split("\n").map((line) => `    ${stripInvisible(line)}`),
    room - shown.join("\n").length,
  );
  return [
    ...head,
    ...shown,
    ...(more > 0 ? [`${more} more files would change.`] : []),
    ...(answer.patch === undefined ? [] : changes),
    next,
    ...answer.notes.slice(0, 5).map((note) => shortenToLine(note, 200)),
  ].join("\n");
}

export async function related(
  args: Paged & { query?: string; files?: string[] },
  context: CallContext,
): Promise<string> {
  const { query, files } = args;
  if (files === undefined && query !== undefined) return searchSessions({ ...args, query }, context);
  const file = files && toProjectPaths(context, files);
  const found = await ask(context, findRelated, { file, q: query, limit: countNeeded("related", args) });
  const around = found.code.map(({ file: path, used_by, uses }) =>
    toHarmlessLine(
      `${path} (${joinPresent([used_by.length > 0 && `used by ${used_by.join(", ")}`, uses.length > 0 && `uses ${uses.join(", ")}`], "; ")})`,
    ),
  );
  return formatPage("related", args, {
    lines: [
      ...found.sessions.map(({ session_id, session_title, agent, branch, last_at, turns, files: touched }) =>
        joinPresent(
          [
            wordClaim({
              kind: "asked",
              text: turns[0]?.prompt || session_title || "(before the first prompt)",
              outcome: null,
              by: agent,
              at: last_at,
              standing: [
                branch ?? "",
                ...touched.slice(0, 4).map(({ path, how }) => `${path} (${how})`),
              ].filter(Boolean),
              id: formatTurnPlace(session_id, turns[0]?.turn ?? null),
            }),
          ],
          " ",
        ),
      ),
      ...found.decisions.map((one) => wordClaim(toDecisionClaim(one))),
      ...(around.length > 0 ? [`Code around them: ${shortenText(around.join("; "), 300)}`] : []),
    ],
    none:
      found.looked_for === 0
        ? "No uncommitted changes. Set files or query."
        : "No recorded session touched these files.",
  });
}

export async function commands(
  args: { how?: string; error?: string; lost?: string; max_tokens?: number },
  context: CallContext,
): Promise<string> {
  const { how: q, error, lost } = args;
  if (q !== undefined) {
    const { verdict, commands: found } = await ask(context, how, { q });
    return formatPage("commands", args, {
      head: [verdict === "maybe" ? "Maybe:" : null],
      lines: found.map((one) => wordClaim(toCommandClaim(one))),
      none: "Nothing like it worked here.",
    });
  }
  if (lost !== undefined) {
    const { texts } = await ask(context, findLostText, { file: lost });
    return formatPage("commands", args, {
      lines: texts.map(({ lost_by, timestamp, session_id, turn, lines }) =>
        [
          joinPresent([`lost by ${lost_by}`, formatMinute(timestamp), formatTurnPlace(session_id, turn)]),
          ...shortenText(lines.join("\n"), 2000)
            .split("\n")
            .map((line) => `> ${stripInvisible(line)}`),
        ].join("\n"),
      ),
      none: "Nothing of it was lost.",
    });
  }
  if (error === undefined)
    throw new PommelError(
      "usage",
      "how is missing.",
      "Give how (to run), error (as printed) or lost (a file).",
    );
  const { verdict, errors } = await ask(context, fix, { error });
  return formatPage("commands", args, {
    head: [verdict === "maybe" ? "Maybe:" : null],
    lines: errors.map((one) => wordClaim(toErrorClaim(one))),
    none: "No agent met this error here.",
  });
}
