import {
  caution,
  type Document,
  type DocumentBlock,
  faint,
  id,
  indentedLine,
  joinParts,
  type LinePart,
  line,
  makeCommitPiece,
  makeDocument,
  place,
  quoted,
  strong,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { UndoAnswer, UndoneFile } from "./operation.ts";

/** Lines of each side of a conflict, and commits, that are shown. */
const shownLines = 6;
const shownCommits = 10;

/** Why a place is left as it is. */
export const conflictWords: Readonly<Record<UndoneFile["conflicts"][number]["why"], string>> = {
  "changed since": "changed since by somebody else",
  "written together": "written together with somebody else",
  "place gone": "the code around it has changed",
};

/** What taking a session back does, what stays, and why. */
export function wordUndo(answer: UndoAnswer): Document {
  const { session_id, title, turn, commits, uncommitted, files, commands, commands_total, applied } = answer;
  const changed = files.filter(({ action, moves_to }) => action !== "unchanged" || moves_to !== null);
  const left = files.filter(({ conflicts }) => conflicts.length > 0);
  const where = turn === null ? shortenSessionId(session_id) : `${shortenSessionId(session_id)}:${turn}`;
  return makeDocument(
    [
      line(
        strong("Undo"),
        " ",
        id(where),
        title === null ? null : "  ",
        title === null ? null : quoted(title),
      ),
      ...commits
        .slice(0, shownCommits)
        .map(({ hash, subject }) => indentedLine(2, 2, makeCommitPiece(hash), " ", quoted(subject))),
      commits.length > shownCommits &&
        line(faint(`  and ${formatCount(commits.length - shownCommits, "commit")} more`)),
      uncommitted && line("  and uncommitted changes"),
    ].filter((block): block is DocumentBlock => block !== false),
    changed.length === 0 ? [line("Nothing is still as this session wrote it.")] : changed.map(wordFile),
    left.length > 0 && [
      { is: "title", text: "Left as it is" },
      ...left.flatMap(({ path, conflicts }) => conflicts.flatMap((conflict) => wordConflict(path, conflict))),
    ],
    commands.length > 0 && [
      { is: "title", text: "Not undone: what it ran" },
      ...commands.map((command) => indentedLine(2, 4, quoted(command.line), faint(`  turn ${command.turn}`))),
      ...(commands_total > commands.length
        ? [line(faint(`  and ${commands_total - commands.length} more`))]
        : []),
    ],
    [line(...wordNext(applied, changed.length > 0, where))],
  );
}

const wordFile = (file: UndoneFile): DocumentBlock =>
  indentedLine(2, 4, place(file.path), "  ", ...joinParts(wordFacts(file), ", "));

function wordFacts({ action, moves_to, lines_removed, lines_restored }: UndoneFile): string[] {
  const facts = [
    action === "deleted" ? "deleted, as it made it" : action === "created" ? "there again" : null,
    moves_to === null ? null : `moved back to ${moves_to}`,
    lines_removed > 0 ? `${formatCount(lines_removed, "line")} out` : null,
    lines_restored > 0 ? `${formatCount(lines_restored, "line")} back` : null,
  ];
  return facts.filter((fact) => fact !== null);
}

function wordConflict(path: string, { why, now, before }: UndoneFile["conflicts"][number]): DocumentBlock[] {
  return [
    indentedLine(2, 4, place(path), "  ", caution(conflictWords[why])),
    ...(before.length > 0 ? [former("-", before)] : []),
    ...(now.length > 0 ? [former("+", now)] : []),
  ];
}

const former = (sign: string, lines: readonly string[]): DocumentBlock => ({
  is: "former",
  sign,
  lines: lines.slice(0, shownLines),
});

function wordNext(applied: UndoAnswer["applied"], hasChanges: boolean, where: string): LinePart[] {
  if (applied === "working tree")
    return ["Done, in the working tree. ", faint("`pm undo --back` brings it back.")];
  if (applied === "branch") return ["Done, in a commit on the new branch. The working tree is as it was."];
  if (!hasChanges) return [];
  return [
    faint(
      `Nothing has been changed yet. \`pm undo ${where} --apply\` does it here, \`--branch NAME\` on a new branch.`,
    ),
  ];
}

/** Files that an agent is told of. */
const maxFilesForAgent = 5;

/** What of a session still stands, for an agent that reads it: one line; none where nothing stands. */
export function wordUndoForAgent({ session_id, turn, files }: UndoAnswer): string[] {
  const where = turn === null ? shortenSessionId(session_id) : `${shortenSessionId(session_id)}:${turn}`;
  const changed = files.filter(({ action, moves_to }) => action !== "unchanged" || moves_to !== null);
  if (changed.length === 0) return [];
  const left = files.reduce((sum, { conflicts }) => sum + conflicts.length, 0);
  const named = changed
    .slice(0, maxFilesForAgent)
    .map((file) => `${toHarmlessLine(file.path)} (${toHarmlessLine(wordFacts(file).join(", "))})`);
  const more = changed.length - named.length;
  return [
    `Still in the files; \`pm undo ${where}\` would take it back (\`--apply\` does it, and leaves what others wrote): ` +
      named.join(", ") +
      (more > 0 ? ` and ${formatCount(more, "file")} more` : "") +
      (left > 0 ? `; ${formatCount(left, "place")} would stay, as others wrote there since` : ""),
  ];
}
