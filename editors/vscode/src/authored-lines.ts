import { formatRelativeTime } from "../../../src/base/text/relative-time.ts";
import type { BlameRange } from "../../../src/features/blame/operation.ts";

/** As the server sends it: consecutive lines of a document and who wrote them. Lines count from 0 and are inclusive. */
export interface AuthoredLines extends BlameRange {
  start: number;
  end: number;
}

export const linesAt = (ranges: readonly AuthoredLines[], line: number): AuthoredLines | undefined =>
  ranges.find(({ start, end }) => start <= line && line <= end);

/** "claude, 3 days ago": without a claim that nobody can make. */
export function authorOf({ author, agent, model, person, authored_at }: AuthoredLines): string {
  const names = {
    agent: agent ?? model ?? "an agent",
    human: person ?? "a person",
    unknown: "unknown author",
    before_agents: person ?? "before agents",
  };
  return `${names[author]}, ${authored_at === null ? "not committed" : formatRelativeTime(Date.parse(authored_at))}`;
}
