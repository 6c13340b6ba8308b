import { SessionSearch, type SessionSearchOptions } from "../../sessions/search/engine.ts";
import type { CommitsOptions } from "./commits-of-results.ts";

/** Opens a search of sessions whose results name the commits that they led to. */
export function searchWithCommits({
  waitPolicy,
  ...options
}: Omit<SessionSearchOptions, "loadCommits"> & Pick<CommitsOptions, "waitPolicy">): SessionSearch {
  return new SessionSearch({
    ...options,
    loadCommits: async () => {
      const { CommitsOfResults } = await import("./commits-of-results.ts");
      return new CommitsOfResults({ ...options, ...(waitPolicy && { waitPolicy }) });
    },
  });
}
