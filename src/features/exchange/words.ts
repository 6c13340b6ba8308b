import { type Document, doneLine, line, mark } from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { wordLinesByAuthor } from "../../protocol/reading/authors.ts";
import type { TraceImport } from "./agent-trace.ts";
import type { NotesExport } from "./export-notes.ts";

/** What was written into git's notes, and how to share it and take it back. */
export function wordNotesExport(report: NotesExport, isDry: boolean): Document {
  const { ref, written, updated, replaced, unchanged, kept, unknown, before, after } = report;
  const parts = [
    written.length > 0 && formatCount(written.length, "new note"),
    updated.length > 0 && `${updated.length} updated`,
    replaced.length > 0 && `${replaced.length} of other tools replaced`,
  ].filter((part) => part !== false);
  const name = ref.replace("refs/notes/", "");
  const back = before === null ? `git update-ref -d ${ref}` : `git update-ref ${ref} ${before}`;
  const further = [
    unchanged > 0 && `${formatCount(unchanged, "note")} already up to date.`,
    kept.length > 0 &&
      `${formatCount(kept.length, "commit")} with another tool's note, which stays: --force replaces it.`,
    unknown > 0 && `${formatCount(unknown, "commit")} without a line of a known author.`,
    after !== before && name === "pommel" && `  Read them:    git log --notes=${name}`,
    after !== before && `  Share them:   git push <remote> ${ref}`,
    after !== before && `  Undo:         ${back}`,
  ].filter((text) => text !== false);
  return [
    [
      parts.length === 0
        ? line("Nothing to write.")
        : isDry
          ? line(`${parts.join(", ")} for ${ref}. Nothing was written (--dry-run).`)
          : doneLine(`${ref}: ${parts.join(", ")}.`),
      ...further.map((text) => line(text)),
    ],
  ];
}

/** What traces said of who wrote the lines of commits. */
export function wordTraceImport(
  { commits, unchanged, elsewhere, lines, problems }: TraceImport,
  isDry: boolean,
): Document {
  const what =
    commits.length === 0
      ? "Nothing new"
      : `${formatCount(commits.length, "commit")}: ${wordLinesByAuthor(lines)}`;
  const end = isDry && commits.length > 0 ? " Nothing was imported (--dry-run)." : "";
  return [
    [
      line(mark(problems.length > 0 ? "warn" : "ok"), ` ${what}.${end}`),
      ...(unchanged > 0 ? [line(`${formatCount(unchanged, "commit")} imported before.`)] : []),
      ...(elsewhere > 0
        ? [line(`${formatCount(elsewhere, "record")} of commits that are not in this repository.`)]
        : []),
    ],
  ];
}
