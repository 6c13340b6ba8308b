import { join, relative } from "node:path";
import { askDaemon, DaemonUnreachable } from "../../client/daemon-client.ts";
import type { SearchRequest, SearchResponse } from "../../client/protocol.ts";
import { PommelError } from "../../project/errors.ts";
import { type Level, levels } from "../../project/levels.ts";
import { findProject, type Project } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";
import { relativeTime } from "../output.ts";

interface SearchOptions {
  limit?: number;
  level?: string[];
  path?: string[];
  language?: string[];
  full?: boolean;
  explain?: boolean;
  metrics?: boolean;
}

/** An index older than this is worth a word when no daemon keeps it up to date. Milliseconds. */
const oldAfterMs = 5000;
/** So many changes waiting mean more than a save that was just made. */
const manyChanges = 20;

/**
 * `pm search`: asks the daemon, or reads the index itself when none answers. Imports as little as possible:
 * agents run it all day, and most of its time is start-up.
 */
export async function searchCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: SearchOptions,
): Promise<void> {
  const project = findProject(cwd);
  const request = await requestOf(project, words, options);
  const asked = search(project, request);
  const [{ answer, note, isAlone }, { renderAnswer }] = await Promise.all([asked, loadRenderer()]);
  for (const said of [note, ...answer.notes]) if (said !== null) output.note(output.colors.dim(said));
  const style = {
    full: options.full ?? false,
    isFiltered: Boolean(options.path ?? options.language ?? options.level),
    columns: process.stdout.columns ?? 160,
    pathOf: (file: string) => relative(cwd, join(project.root, file)),
    colors: output.colors,
  };
  if (options.metrics) {
    const { contextMetricsOf } = await import("../../client/context-metrics.ts");
    const { renderMetrics } = await import("./search-metrics.ts");
    const metrics = await contextMetricsOf(project, request, answer);
    const text = () => `${renderAnswer(answer, style)}\n\n${renderMetrics(metrics)}`;
    output.result({ ...answer, metrics }, text);
  } else {
    output.result(answer, () => renderAnswer(answer, style));
  }
  if (isAlone && process.stdin.isTTY && process.stderr.isTTY) {
    const { offerDaemon } = await import("./offer-daemon.ts");
    await offerDaemon(project, output);
  }
}

/** Loads what renders while the daemon thinks: the request goes out in the event loop's first turn. */
async function loadRenderer() {
  await new Promise(setImmediate);
  return import("./search-results.ts");
}

async function requestOf(project: Project, words: string[], options: SearchOptions): Promise<SearchRequest> {
  // `pm search code retry` is `pm search retry`; `pm search code` looks for "code".
  const query = (words[0] === "code" && words.length > 1 ? words.slice(1) : words).join(" ").trim();
  if (query === "") {
    throw new PommelError(
      "usage",
      "The query is empty.",
      'Say what to look for: pm search "where do we retry"',
    );
  }
  return {
    q: query,
    ...(await environmentDefaults(project)),
    ...(options.limit !== undefined && { limit: options.limit }),
    ...(options.level && { level: options.level.map(checkedLevel) }),
    ...(options.path && { path: options.path }),
    ...(options.language && { language: options.language }),
    explain: options.explain ?? false,
  };
}

/** The daemon knows the configuration, but not the environment of this command. */
async function environmentDefaults(project: Project): Promise<Pick<SearchRequest, "limit" | "level">> {
  if (!process.env.POMMEL_SEARCH_LIMIT && !process.env.POMMEL_SEARCH_LEVELS) return {};
  const { loadConfig } = await import("../../project/config.ts");
  const { config } = loadConfig(project);
  return { limit: config["search.limit"], level: config["search.levels"] };
}

function checkedLevel(name: string): Level {
  const level = levels.find((known) => known === name);
  if (!level) {
    throw new PommelError("usage", `There is no level ${name}.`, `The levels are ${levels.join(", ")}.`);
  }
  return level;
}

async function search(
  project: Project,
  request: SearchRequest,
): Promise<{ answer: SearchResponse; note: string | null; isAlone: boolean }> {
  try {
    const answer = await askDaemon(project, "search", request, 10_000);
    const { pending, is_complete } = answer.index;
    const isBehind = !is_complete || (pending ?? 0) > manyChanges;
    const note = isBehind ? "Still indexing; see `pm status --watch`." : null;
    return { answer, note, isAlone: false };
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    const { searchInProcess } = await import("../../client/read-path.ts");
    const answer = await searchInProcess(project, request);
    return { answer, note: noteOnAge(answer, error.reason), isAlone: error.reason !== "timeout" };
  }
}

/** How far the answer may be behind the files, as nobody watches them. */
function noteOnAge({ index }: SearchResponse, reason: DaemonUnreachable["reason"]): string | null {
  const why = reason === "timeout" ? "The daemon does not answer" : "No daemon is running";
  if (!index.is_complete) return `${why} and the first indexing was not finished.`;
  const asOf = index.as_of === null ? 0 : Date.parse(index.as_of);
  return Date.now() - asOf < oldAfterMs ? null : `${why}; the index is from ${relativeTime(asOf)}.`;
}
