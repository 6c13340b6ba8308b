import { join, relative } from "node:path";
import { type Project, placeInProject } from "../../../base/paths.ts";
import { formatCount } from "../../../base/text/counted.ts";
import { formatRelativeTime } from "../../../base/text/relative-time.ts";
import { type CallOptions, call } from "../../../client/call.ts";
import { describeUnreachable, type UnreachableReason } from "../../../client/daemon-client.ts";
import type { ContextMetrics } from "../../../code/search/metrics.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { chooseBestVerdict } from "../../../protocol/reading/evidence.ts";
import type { CommandContext } from "../../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../../terminal/links.ts";
import type { SearchAllResponse } from "../operation.ts";
import { searchAll, searchCode, searchHistory, searchTranscripts } from "../operation.ts";
import type { ResultStyle } from "../result-words.ts";
import { readSearch, type SearchOptions, type SideRequest } from "./request.ts";

/** What an answer saves its reader, in a sentence or two. */
export function renderMetrics(metrics: ContextMetrics): string {
  const { baseline_words: words, baseline_words_held: held, baseline_files: files } = metrics;
  const results = `The results are ${formatCount(metrics.result_lines, "line")}, about ${formatCount(metrics.result_tokens, "token")}.`;
  if (files === 0) return `${results} No file contains any of the query's words, so grep would find nothing.`;
  const quoted = words.map((word) => `"${word}"`).join(", ");
  const which =
    held === words.length
      ? `${files === 1 ? "holds" : "hold"} ${quoted}`
      : `${files === 1 ? "holds" : "hold"} ${held} of ${quoted}; none holds more`;
  const reading = `${formatCount(metrics.baseline_lines, "line")}, about ${formatCount(metrics.baseline_tokens, "token")}`;
  return `${results}\nThe ${formatCount(files, "file")} that ${which}: ${reading}. ${formatSaving(metrics)}`;
}

function formatSaving({ saved_share }: ContextMetrics): string {
  if (saved_share === null) return "";
  // Never "100 %": something had to be read.
  const percent =
    saved_share > 0.99 ? Math.floor(saved_share * 1000) / 10 : Math.round(Math.abs(saved_share) * 100);
  return saved_share < 0 ? `The results are ${percent} % more than that.` : `That is ${percent} % saved.`;
}

/** An index older than this is worth a word when no daemon keeps it up to date. Milliseconds. */
const oldAfterMs = 5000;
/** So many changes waiting mean more than a save that was just made. */
const manyChanges = 20;

/**
 * `pm search`: asks the daemon, or reads the indexes itself when none answers. Imports as little as possible:
 * agents run it all day, and most of its time is start-up.
 */
export async function searchCommand(
  context: CommandContext,
  words: string[],
  options: SearchOptions,
): Promise<number> {
  if (options.allProjects) {
    const { searchAcrossCommand } = await import("./across.ts");
    return searchAcrossCommand(context, words, options);
  }
  const { cwd, output } = context;
  const project = await findProject(cwd);
  const search = await readSearch(project, words, options, placeInProject(project, cwd));
  const [{ answer, note }, { renderAnswer, chooseExitCode: exitCodeOf }] = await Promise.all([
    ask(project, search),
    loadRenderer(),
  ]);
  const { code, transcripts, history } = answer;
  const allNotes = [
    note,
    ...answer.notes,
    ...[code, transcripts, history].flatMap((side) => side?.notes ?? []),
  ];
  for (const line of new Set(allNotes)) if (line !== null) output.note(output.colors.dim(line));
  const { root } = project;
  const style: ResultStyle = {
    full: options.full ?? false,
    isFiltered: Boolean(options.path ?? options.language ?? options.level ?? options.package),
    isExact: search.request.match !== undefined || /"[^"]+"/.test(search.request.q),
    pathOf: (file: string) => relative(cwd, join(root, file)),
    absolute: (file: string) => join(root, file),
    pageOf: await makeCommitPageFinder(root, output.colors),
    screen: output,
  };
  const { metrics, said: saved } = options.metrics
    ? await measure(project, search, answer)
    : { metrics: null, said: "" };
  const shown = metrics && code ? { ...answer, code: { ...code, metrics } } : answer;
  const value = search.scope === "all" ? shown : shown[search.scope];
  const { isOfCode, renderGroups } = await import("./groups.ts");
  const render = () =>
    code !== null && isOfCode(answer) ? `${renderAnswer(code, style)}${saved}` : renderGroups(answer, style);
  output.result(value, render);
  return exitCodeOf(answer);
}

/** Loads what renders while the daemon thinks: the request goes out in the event loop's first turn. */
async function loadRenderer() {
  await new Promise(setImmediate);
  return import("./results.ts");
}

async function measure(project: Project, { request }: SideRequest, { code }: SearchAllResponse) {
  if (code === null) return { metrics: null, said: "" };
  const { measureContext } = await import("../context-metrics.ts");
  const metrics = await measureContext(project, request, code);
  return { metrics, said: `\n\n${renderMetrics(metrics)}` };
}

interface SearchReply {
  answer: SearchAllResponse;
  note: string | null;
}

async function ask(project: Project, search: SideRequest): Promise<SearchReply> {
  const without: UnreachableReason[] = [];
  const how: CallOptions = { onHere: (why) => without.push(why) };
  const found = await runSearch(project, search, how);
  const [reason] = without;
  if (reason !== undefined) return { answer: found, note: noteOnAge(found, reason) };
  const isBehind = found.code?.coverage === undefined && (found.code?.index.pending ?? 0) > manyChanges;
  return { answer: found, note: isBehind ? "Still indexing; see `pm status --watch`." : null };
}

async function runSearch(
  project: Project,
  { asks, request }: SideRequest,
  how: CallOptions,
): Promise<SearchAllResponse> {
  switch (asks.length === 1 && request.only === undefined ? asks[0] : "all") {
    case "code":
      return buildSideAnswer(request.q, { code: await call(searchCode, request, project, how) });
    case "transcripts":
      return buildSideAnswer(request.q, {
        transcripts: await call(searchTranscripts, request, project, how),
      });
    case "history":
      return buildSideAnswer(request.q, { history: await call(searchHistory, request, project, how) });
    default:
      return call(searchAll, request, project, how);
  }
}

function buildSideAnswer(
  query: string,
  side: Partial<Pick<SearchAllResponse, "code" | "transcripts" | "history">>,
): SearchAllResponse {
  const verdict = chooseBestVerdict(Object.values(side));
  return { scope: "all", query, verdict, code: null, transcripts: null, history: null, ...side, notes: [] };
}

/** How stale the answer may be without a daemon that watches files and transcripts. */
function noteOnAge({ code, transcripts }: SearchAllResponse, reason: UnreachableReason): string | null {
  const why = describeUnreachable(reason);
  let note = why;
  // Where nothing is to be indexed, `done` is null.
  if (typeof code?.coverage?.done === "number" && reason !== "timeout")
    note += "; `pm reindex` indexes the project";
  if (code?.index.is_complete) note += describeStaleness("the index is from", code.index.as_of);
  if (transcripts) note += describeStaleness("the last session is from", transcripts.memory.as_of);
  return note === why ? null : `${note}.`;
}

function describeStaleness(what: string, asOf: string | null): string {
  const at = asOf === null ? null : Date.parse(asOf);
  return at === null || Date.now() - at < oldAfterMs ? "" : `; ${what} ${formatRelativeTime(at)}`;
}
