import {
  type Document,
  faint,
  faintlyAgo,
  joinParts,
  line,
  makeDocument,
  wordShown,
} from "../../answers/document.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import type { LostTextAnswer } from "./operation.ts";

/** Text of a file that no commit holds, the latest first, each with how it went. */
export function wordLost({ file, texts, total }: LostTextAnswer): Document {
  if (total === 0)
    return [[line("Nothing of ", { text: file }, " was lost, as far as agents' edits are recorded.")]];
  return makeDocument(
    ...texts.map(({ session_id, author, turn, timestamp, lost_by, command, lines }) => [
      line(
        ...joinParts(
          [
            faint(lost_by === "edit" ? "replaced by an edit" : `gone after ${command ?? "a command"}`),
            faintlyAgo(timestamp),
            {
              text: `session ${formatTurnPlace(session_id, turn)}`,
              role: "faint",
              session: { id: session_id, turn },
            },
            author != null && faint(formatSharedBy(author)),
          ],
          ", ",
        ),
      ),
      { is: "lines", lines } as const,
    ]),
    wordShown(texts.length, total),
  );
}
