import {
  caution,
  type Document,
  faint,
  faintlyAgo,
  indentedLine,
  joinParts,
  makeDocument,
  type Paragraph,
  place,
  quoted,
  wordShown,
} from "../../answers/document.ts";
import { labelNote, type Readership } from "../../protocol/origin.ts";
import { formatTurnPlace, shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { LineNoteAnswer, Note, NotesResponse } from "./operation.ts";

export const noNotes = "No notes";
export const noMatchingNotes = "No note matches these filters.";
export const howToNote = 'Write "Note to Pommel: ..." in a prompt, or run `pm note "..."`.';

/** Notes, each with whose it is, when and where it was made. */
export const wordNotes = ({ annotations, total }: NotesResponse): Document =>
  makeDocument(...annotations.map(wordNote), wordShown(annotations.length, total, " notes"));

/** "src/a.ts:12-14", with what became of the lines. */
export function formatNoteLines({ file, first_line, last_line, state }: LineNoteAnswer["lines"]): string {
  const place = `${file}:${first_line}${last_line === first_line ? "" : `-${last_line}`}`;
  const what = last_line === first_line ? "line" : "lines";
  if (state === "gone") return `${place}, ${what} gone since`;
  return state === "changed" ? `${place}, ${what} changed since` : place;
}

/** "Your note on src/a.ts:12". */
export const labelLineNote = (note: LineNoteAnswer, reader: Readership): string =>
  `${labelNote(note, reader)} on ${formatNoteLines(note.lines)}`;

/** The note, quoted, as an answer about its lines has it. */
export const wordLineNote = (note: LineNoteAnswer, reader: Readership): Paragraph => [
  indentedLine(
    0,
    2,
    caution(`${labelLineNote(note, reader)}:`),
    " ",
    quoted(note.note),
    "  ",
    ...joinParts(
      [
        faintlyAgo(note.timestamp),
        note.session_id !== null && faint(formatTurnPlace(note.session_id, note.turn)),
      ],
      " ",
    ),
  ),
];

function wordNote(one: Note): Paragraph {
  const { id, note, session_id, turn, timestamp, branch, source, author, lines } = one;
  const session =
    session_id === null ? "" : `session: ${shortenSessionId(session_id)}${turn === null ? "" : `:${turn}`}`;
  return [
    { is: "passage", text: `${labelNote({ source, author }, "person")}: ${note}` },
    indentedLine(
      2,
      2,
      ...joinParts([
        lines !== null && place(formatNoteLines(lines)),
        faintlyAgo(timestamp),
        faint(session),
        faint(branch ?? ""),
        faint(id),
      ]),
    ),
  ];
}
