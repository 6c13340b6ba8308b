import { GitFailure } from "../../git/git.ts";
import type { Project } from "../../project/paths.ts";
import type { BlameRange, WhyAnswer, WhyCaller } from "../../protocol/operations/blame.ts";
import { edgeFor } from "../../search/graph/neighbours.ts";
import type { LineRange } from "../blame/file-place.ts";
import { fromGraph } from "../search/graph.ts";
import { changesSince } from "./why-history.ts";

const shown = 5;

/** What calls or uses what lines are in, and what changed there since they were written; null where it is not known. */
export async function callersOf(
  project: Project,
  { commit }: BlameRange,
  { file, lines }: { file: string; lines: LineRange },
  signal: AbortSignal,
): Promise<WhyAnswer["used_by"]> {
  const found = await fromGraph(project, async (graph) => {
    if (!(await graph.covers(file))) return null;
    const { edges } = await graph.callers(await graph.definitionsAt(file, lines.first, lines.last));
    return { edges: edges.slice(0, shown).map(edgeFor), total: edges.length };
  });
  if (found === null) return null;
  const changedBy = new Map<string, WhyCaller["changed_by"]>();
  for (const { file } of found.edges) {
    if (commit === null || changedBy.has(file)) continue;
    changedBy.set(file, await lastChange(project, commit, file, signal));
  }
  const edges = found.edges.map((edge) => ({ ...edge, changed_by: changedBy.get(edge.file) ?? null }));
  return { edges, total: found.total };
}

async function lastChange(
  project: Project,
  commit: string,
  file: string,
  signal: AbortSignal,
): Promise<WhyCaller["changed_by"]> {
  try {
    const [last] = (await changesSince(project, null, commit, [file], signal))?.latest ?? [];
    return last === undefined
      ? null
      : { hash: last.hash, subject: last.subject, authored_at: last.authored_at };
  } catch (error) {
    if (error instanceof GitFailure || signal.aborted) return null;
    throw error;
  }
}
