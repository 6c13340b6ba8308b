import type { Memory } from "../memory.ts";

export interface LinesByAuthor {
  /** By the agent's name; those of sessions that are not known here, or that nobody named, as "agent". */
  agents: Record<string, number>;
  human: number;
  unknown: number;
}

/** Lines that commits added, by who wrote them; commits are named by their hashes. */
export function linesOfCommits(memory: Memory, hashes: readonly string[]): LinesByAuthor {
  const rows = memory
    .prepare(
      `SELECT attributions.author, coalesce(agent, 'agent') AS agent, sum(last_line - first_line + 1) AS lines
       FROM attributions JOIN commits ON commits.id = commit_id LEFT JOIN sessions ON sessions.uid = session_uid
       WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
    )
    .all(JSON.stringify(hashes)) as { author: string; agent: string; lines: number }[];
  const sumOf = (author: string) =>
    rows.filter((row) => row.author === author).reduce((sum, { lines }) => sum + lines, 0);
  const agents = rows.filter(({ author }) => author === "agent").map(({ agent, lines }) => [agent, lines]);
  return { agents: Object.fromEntries(agents), human: sumOf("human"), unknown: sumOf("unknown") };
}
