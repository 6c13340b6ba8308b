import { changeMemory } from "../../answers/changing.ts";
import { readCommitInfo } from "../../attribution/checkpoints/commit-facts.ts";
import { recordNotes } from "../../attribution/checkpoints/record-notes.ts";
import { buildTraceRecord, readTraces, type TraceFile } from "../../attribution/foreign/agent-trace.ts";
import type { AttributedLines } from "../../attribution/foreign/types.ts";
import type { Project } from "../../base/paths.ts";
import { version } from "../../base/version.ts";
import { findPlaceInRepository } from "../../git/diff/changes.ts";
import { GitFailure } from "../../git/git.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readAttributedCommits } from "./export-notes.ts";

/** The attribution of commits as trace records, newest first. @throws PommelError as `readAttributedCommits` */
export async function* exportTraces(
  project: Project,
  memory: Memory,
  range: string | null,
  signal?: AbortSignal,
): AsyncGenerator<ReturnType<typeof buildTraceRecord>, void, undefined> {
  for await (const { info, lines } of readAttributedCommits(memory, project.root, range, signal)) {
    yield buildTraceRecord({ commit: info.hash, at: info.committedAt, lines, version });
  }
}

export interface TraceImport {
  /** Trace records in the file. */
  records: number;
  /** Hashes of commits whose lines got an author. */
  commits: string[];
  /** Commits of which nothing was news. */
  unchanged: number;
  /** Records of commits that this repository lacks, or that name none. */
  elsewhere: number;
  /** Added lines by whom the file's word has them; unknown in spite of it. */
  lines: { agent: number; human: number; unknown: number };
  problems: TraceFile["problems"];
}

/**
 * Imports what trace records say about who wrote lines. A record counts for the commit that it names, if git has it; of
 * its paths only those that the commit changed.
 * @param text untrusted
 * @throws GitFailure without a repository
 */
export async function importTraces(
  project: Project,
  text: string,
  { dryRun, signal }: { dryRun: boolean; signal?: AbortSignal },
): Promise<TraceImport> {
  const { root } = project;
  const { prefix } = await findPlaceInRepository(root, signal);
  const { traces, problems } = readTraces(text);
  const report: TraceImport = {
    records: traces.length,
    commits: [],
    unchanged: 0,
    elsewhere: 0,
    problems,
    lines: { agent: 0, human: 0, unknown: 0 },
  };
  const said = new Map<string, AttributedLines[]>();
  for (const { commit, lines } of traces) {
    if (commit === null) {
      report.elsewhere++;
      continue;
    }
    const known = said.get(commit) ?? [];
    said.set(commit, known);
    for (const line of lines) known.push(line);
  }
  await changeMemory(
    project,
    async ({ memory, scrubber }) => {
      for (const [hash, lines] of said) {
        const found = await recordOne({ memory, project, scrubber }, hash, pickLinesBelow(prefix, lines), {
          dryRun,
          signal,
        });
        if (found === null) report.elsewhere++;
        else if (found.isNew) report.commits.push(hash);
        else report.unchanged++;
        for (const author of ["agent", "human", "unknown"] as const)
          report.lines[author] += found?.[author] ?? 0;
      }
    },
    { create: true },
  );
  return report;
}

/** null: git has no such commit, or not all of it. */
async function recordOne(
  work: Parameters<typeof recordNotes>[0],
  hash: string,
  lines: readonly AttributedLines[],
  options: Parameters<typeof recordNotes>[3],
) {
  try {
    const info = await readCommitInfo(work.project.root, hash, options?.signal);
    return info === null ? null : await recordNotes(work, info, lines, options);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    return null;
  }
}

const pickLinesBelow = (prefix: string, lines: readonly AttributedLines[]) =>
  lines.flatMap((line) =>
    line.path.startsWith(prefix) ? [{ ...line, path: line.path.slice(prefix.length) }] : [],
  );
