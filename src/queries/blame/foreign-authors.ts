import { foreignNotesOf } from "../../attribution/foreign/foreign-notes.ts";
import type { ForeignLines, ForeignNotes } from "../../attribution/foreign/types.ts";
import type { BlamedLine } from "../../git/diff/changes-types.ts";
import type { Project } from "../../project/paths.ts";
import type { LineAuthor } from "../../protocol/operations/blame.ts";
import { entry, unknownAuthor } from "./blame-summary.ts";

/**
 * The authors of lines, with other tools' evidence where there is none of our own. A note about a line makes it an
 * agent's; a note about a whole commit is only a hint.
 */
export async function withForeignAuthors(
  project: Project,
  lines: readonly BlamedLine[],
  authors: readonly LineAuthor[],
  signal?: AbortSignal,
): Promise<LineAuthor[]> {
  const isUnknown = (i: number) => authors[i]?.author === "unknown";
  const hashes = lines.flatMap(({ commit }, i) => (commit !== null && isUnknown(i) ? [commit] : []));
  const notes = await foreignNotesOf(project.root, [...new Set(hashes)], signal);
  if (notes.size === 0) return [...authors];
  // Lines of one author share an object, so its identity shows where a range ends.
  const known = new Map<unknown, LineAuthor>();
  return lines.map((line, i) => {
    const author = authors[i] ?? unknownAuthor;
    const note = line.commit === null || !isUnknown(i) ? undefined : notes.get(line.commit);
    if (!note) return author;
    const claim = authorClaim(line, note);
    if (claim) return entry(known, claim, () => authorOf(claim));
    const hint = { tools: note.tools, session_ids: note.sessions };
    if (hint.tools.length + hint.session_ids.length === 0) return author;
    return entry(known, line.commit, () => ({ ...unknownAuthor, hint }));
  });
}

function authorClaim(
  { originalPath, originalLine }: BlamedLine,
  { lines }: ForeignNotes,
): ForeignLines | undefined {
  return lines.find(
    ({ path, first, last }) => path === originalPath && originalLine >= first && originalLine <= last,
  );
}

const authorOf = ({ tool, model, session }: ForeignLines): LineAuthor => ({
  ...unknownAuthor,
  author: "agent",
  session_id: session,
  agent: tool,
  model,
  how: "note",
  basis: null,
  said_by: "note",
});
