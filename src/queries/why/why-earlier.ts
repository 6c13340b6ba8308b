import type { Project } from "../../project/paths.ts";
import type { BlameRange, EarlierLines, LineAuthor } from "../../protocol/operations/blame.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnOf } from "../../store/memory/sessions/turns.ts";
import { beginningOf } from "../../text/text-size.ts";
import { blameFile } from "../blame/blame.ts";
import { type LinesAt, linesBefore } from "./why-history.ts";
import { authorIn, commitIn, groupsOf, largestOf } from "./why-origins.ts";

/** Steps back. */
const maxSteps = 3;
const linesShown = 5;
/** Of a prompt; characters. */
const maxPromptLength = 300;

/**
 * Earlier versions of lines, step by step back: each step returns the lines that the previous step changed or replaced.
 * @throws GitFailure, PommelError as `blameFile`
 */
export async function earlierLines(
  project: Project,
  memory: Memory | null,
  from: BlameRange,
  signal?: AbortSignal,
): Promise<EarlierLines[]> {
  const steps: EarlierLines[] = [];
  for (let range: BlameRange | null = from; range !== null && steps.length < maxSteps; ) {
    const before = range.is_boundary ? null : await linesBefore(project, placeOf(range), signal);
    if (before === null) break;
    const { how, revision, file, first, last, text } = before;
    const request = { file, ranges: [{ first, last }], revision };
    const [group] = groupsOf((await blameFile(project, memory, request, signal)).ranges);
    range = group ? largestOf(group) : null;
    if (range === null) break;
    steps.push({
      how,
      file,
      first_line: first,
      last_line: last,
      text: text.slice(0, linesShown),
      written_by: authorIn(range),
      commit: commitIn(memory, range),
      prompt: promptOf(memory, range),
    });
  }
  return steps;
}

/** The place of the lines in their commit. */
const placeOf = ({ commit, original_path, original_line, first_line, last_line }: BlameRange): LinesAt => ({
  commit,
  file: original_path,
  first: original_line,
  last: original_line + last_line - first_line,
});

function promptOf(memory: Memory | null, { session_id, turn }: LineAuthor): string | null {
  if (memory === null || session_id === null || turn === null) return null;
  const session = sessionByUid(memory, session_id);
  const record = session ? turnOf(memory, session.id, turn) : null;
  return record ? beginningOf(record.prompt, maxPromptLength) : null;
}
