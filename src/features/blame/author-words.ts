import { type DocumentBlock, type TextPiece, table } from "../../answers/document.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import {
  authorMarks,
  authorNames,
  formatKnownShare,
  listAuthorKinds,
  roleOfAuthor,
} from "../../protocol/reading/authors.ts";
import type { Share } from "../../protocol/shares.ts";
import type { BlameAuthor } from "../../protocol/values.ts";
import type { Palette } from "../../terminal/palette.ts";

/** How those who wrote lines are named on a terminal. */

/** A text in the colour of its author. */
export function colorByAuthor(text: string, { author }: Pick<LineAuthor, "author">, colors: Palette): string {
  if (author === "agent") return colors.agent(text);
  return author === "human" ? colors.human(text) : colors.dim(text);
}

/** "● agent 42%". */
export const formatAuthorShare = (share: Share, author: BlameAuthor): TextPiece => ({
  text: `${authorMarks[author]} ${authorNames[author]} ${formatKnownShare(share, author)}`,
  role: roleOfAuthor[author],
});

/** The share and the number of lines of each kind of author. */
export const wordAuthorKinds = (share: Share): DocumentBlock =>
  table(
    [{ title: "" }, { title: "", isNumber: true }, { title: "", isNumber: true }],
    listAuthorKinds(share).map((author) => [
      { text: authorNames[author], role: roleOfAuthor[author] },
      formatKnownShare(share, author),
      share[author].toLocaleString("en"),
    ]),
  );
