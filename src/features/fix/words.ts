import {
  ago,
  command as commandLine,
  type Document,
  type DocumentBlock,
  faint,
  faintlyAgo,
  good,
  indentedLine,
  joinParts,
  line,
  makeCommitPiece,
  makeDocument,
  makeTurnPiece,
  type Paragraph,
  place,
  quoted,
  strong,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import type { Fix, KnownError } from "../../protocol/fix.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import type { FixAnswer } from "./operation.ts";

const neverSeen = "No recorded session had this error.";
export const noFix = "No fix is recorded.";

/** "seen 3 times in 2 sessions". */
export const wordSeen = ({ times, sessions }: Pick<KnownError, "times" | "sessions">): string =>
  `seen ${formatCount(times, "time")} in ${formatCount(sessions, "session")}`;

/** Whether what mended it is still in the files; null: not known. */
export const wordStands = ({ stands }: Pick<Fix, "stands">): string | null =>
  stands === null ? null : stands ? "its lines are still there" : "its lines are gone";

/** Errors that agents had, each with what fixed it; else where one was only mentioned. */
export function wordFix({ verdict, errors, mentions }: FixAnswer): Document {
  if (verdict === "none") return [[line(neverSeen)]];
  if (errors.length > 0)
    return makeDocument(verdict === "maybe" && [line(faint("Maybe like it:"))], ...errors.map(wordError));
  return [
    [
      line("No recorded command failed with it; it was said in:"),
      ...mentions.map(({ session_id, turn, timestamp, text }) =>
        line("session ", makeTurnPiece(session_id, turn), ", ", ago(timestamp), ": ", quoted(text, 160)),
      ),
    ],
  ];
}

/** Lines of an error and of a diff that are shown. */
const shownLines = { error: 4, diff: 12 } as const;

function wordError(known: KnownError): Paragraph {
  const { error, command, last_at, session_id, author, turn, fix } = known;
  return [
    ...error
      .split("\n")
      .slice(0, shownLines.error)
      .map((text) => line({ ...strong(text), quotedChars: 200 })),
    indentedLine(2, 2, "$ ", { text: command }),
    indentedLine(
      2,
      2,
      faint(`${wordSeen(known)}, last`),
      " ",
      faintlyAgo(last_at),
      " ",
      faint("(session "),
      makeTurnPiece(session_id, turn, "faint"),
      faint(author === null ? ")" : ` ${formatSharedBy(author)})`),
    ),
    ...(fix === null ? [indentedLine(2, 2, noFix)] : wordFixed(fix)),
  ];
}

/** What was seen between the failure and the run that worked: that it is what helped is likely, as nobody said so. */
function wordFixed(fix: Fix): DocumentBlock[] {
  const { edits, commands, commit, session_id, author, turn } = fix;
  const facts = [
    [good("session "), makeTurnPiece(session_id, turn, "good")],
    good(formatSharedBy(author)),
    commit !== null && [good("commit "), makeCommitPiece(commit.hash), " ", good(commit.subject)],
    good(wordStands(fix) ?? ""),
  ];
  return [
    indentedLine(2, 2, good("Then worked:"), " ", ...joinParts(facts, " | ")),
    ...edits.flatMap(({ path, diff }): DocumentBlock[] => [
      indentedLine(2, 2, place(path)),
      { is: "lines", indent: 2, lines: diff.trimEnd().split("\n").slice(0, shownLines.diff), patchOf: path },
    ]),
    ...commands.map((text) => indentedLine(2, 2, "$ ", commandLine(text))),
  ];
}
