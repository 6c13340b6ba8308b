import { codeOf, explanationOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { SearchAllRequest, SearchAllResponse } from "../../protocol/operations/search.ts";
import { answererHere } from "../here.ts";
import { searchInProcess } from "./code.ts";
import { searchTranscriptsInProcess } from "./sessions.ts";

/**
 * Searches code and sessions. A side that cannot be searched is left out with a note; a memory that does not exist yet
 * needs no note.
 * @throws PommelError the code's, if neither can be searched; `usage`, `not_found`
 */
export async function searchAll(
  project: Project,
  request: SearchAllRequest,
  signal?: AbortSignal,
): Promise<SearchAllResponse> {
  // A daemon has its indexes and models at hand.
  const daemon = answererHere(project.root);
  const [code, transcripts] = await Promise.allSettled([
    daemon ? daemon("search", request, signal) : searchInProcess(project, request),
    daemon
      ? daemon("searchTranscripts", request, signal)
      : searchTranscriptsInProcess(project, request, signal),
  ]);
  const failed = [code, transcripts].flatMap((side) => (side.status === "rejected" ? [side.reason] : []));
  // An invalid request is an error, not a reason to leave a side out.
  const wrong = failed.find((error) => ["usage", "not_found"].includes(codeOf(error)));
  if (wrong !== undefined || failed.length === 2) throw wrong ?? failed[0];
  return {
    scope: "all",
    query: request.q,
    code: code.status === "fulfilled" ? code.value : null,
    transcripts: transcripts.status === "fulfilled" ? transcripts.value : null,
    notes: failed.filter((error) => codeOf(error) !== "no_memory").map(explanationOf),
  };
}
