import { ask, askEach, deadlineMs, listProjectsToAsk } from "../../answers/ask-projects.ts";
import { loadConfig } from "../../base/config/config.ts";
import { explainError, getErrorCode } from "../../base/errors.ts";
import { findIndexObstacle } from "../../git/projects/indexed.ts";
import { chooseResultUnit } from "../../protocol/search-sessions.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import {
  type CodePart,
  type HistoryPart,
  mergeCode,
  mergeHistory,
  mergeTranscripts,
  type TranscriptPart,
} from "./merge.ts";
import type { searchEverywhereRequest, searchEverywhereResponse } from "./operation.ts";
import { searchCode, searchHistory, searchTranscripts } from "./operation.ts";

/**
 * Searches all projects and puts what is found in one order (merge.ts).
 * @throws PommelError `usage` for a question that makes no sense
 */
export async function searchEverywhere(
  { asks, here, below, ...request }: Shaped<typeof searchEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof searchEverywhereResponse>> {
  const projects = await listProjectsToAsk({ here, below });
  const own = here === undefined ? null : projects[0]!.project;
  const limit = request.limit ?? loadConfig(own).config["search.limit"];
  // The signals of a result show how confident its project is.
  const asked = { ...request, limit, explain: true };
  const start = performance.now();
  const { answers, left_out } = await askEach(
    projects,
    async ({ project, withMemory }) => {
      const errors: unknown[] = [];
      // Another project's files are elsewhere.
      const ofCode = project.root === own?.root ? asked : { ...asked, near: undefined };
      const isIndexed = findIndexObstacle(project) === null;
      const code =
        asks.includes("code") && isIndexed
          ? await trySearch(() => ask(project, searchCode, ofCode), errors)
          : null;
      const transcripts =
        asks.includes("transcripts") && withMemory
          ? await trySearch(() => ask(project, searchTranscripts, asked), errors)
          : null;
      const history =
        asks.includes("history") && isIndexed
          ? await trySearch(() => ask(project, searchHistory, asked), errors)
          : null;
      if (code === null && transcripts === null && history === null && errors.length > 0) throw errors[0];
      return { code, transcripts, history, error: errors[0] };
    },
    deadline,
  );
  const codeParts: CodePart[] = [];
  const saidParts: TranscriptPart[] = [];
  const historyParts: HistoryPart[] = [];
  for (const { project, answer } of answers) {
    if (answer.code) codeParts.push({ project: project.root, answer: answer.code });
    if (answer.transcripts) saidParts.push({ project: project.root, answer: answer.transcripts });
    if (answer.history) historyParts.push({ project: project.root, answer: answer.history });
    if (answer.error !== undefined) {
      left_out.push({ project: project.root, reason: explainError(answer.error) });
    }
  }
  const merged = {
    query: request.q,
    limit,
    explain: request.explain ?? false,
    took: Math.round(performance.now() - start),
  };
  return {
    code: asks.includes("code") ? mergeCode(codeParts, merged) : null,
    transcripts: asks.includes("transcripts")
      ? mergeTranscripts(saidParts, { ...merged, by: chooseResultUnit(request) })
      : null,
    history: asks.includes("history") ? mergeHistory(historyParts, merged) : null,
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

/** A side that cannot be searched does not take the other one with it. */
async function trySearch<T>(search: () => Promise<T>, errors: unknown[]): Promise<T | null> {
  try {
    return await search();
  } catch (error) {
    if (getErrorCode(error) === "usage") throw error;
    if (getErrorCode(error) !== "not_found") errors.push(error);
    return null;
  }
}
