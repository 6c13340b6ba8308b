import type { Output } from "./output.ts";
import { formatCount, toHomeRelative } from "./text.ts";

interface AskedProjects {
  /** Those that answered. */
  projects: readonly string[];
  left_out: readonly { project: string; reason: string }[];
}

/** Reports projects that could not be asked; the others still answer. */
export function noteLeftOut({ left_out, projects }: AskedProjects, output: Output): void {
  for (const reason of new Set(left_out.map((one) => one.reason))) {
    const of = left_out.filter((one) => one.reason === reason);
    output.note(
      output.colors.dim(`Skipped: ${of.map(({ project }) => toHomeRelative(project)).join(", ")}: ${reason}`),
    );
  }
  if (projects.length === 0 && left_out.length === 0) output.note("No projects yet: search in one first.");
}

/** Problems with a file that are named before the rest is counted. */
const problemsShown = 20;

/** Reports lines of a file that could not be read. */
export function noteProblems(problems: readonly { line: number; reason: string }[], output: Output): void {
  for (const { line, reason } of problems.slice(0, problemsShown)) output.note(`line ${line}: ${reason}`);
  if (problems.length > problemsShown)
    output.note(`and ${formatCount(problems.length - problemsShown, "more line")}`);
}
