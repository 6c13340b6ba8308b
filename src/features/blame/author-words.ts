import { type Block, type Piece, table } from "../../answers/document.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import {
  authorMarks,
  authorNames,
  formatKnownShare,
  listAuthorKinds,
  roleOfAuthor,
} from "../../protocol/reading/authors.ts";
import { nameLineAuthor } from "../../protocol/reading/evidence.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import type { Share } from "../../protocol/shares.ts";
import type { BlameAuthor } from "../../protocol/values.ts";
import type { Palette } from "../../terminal/palette.ts";
import { toOneLine, toPrintable } from "../../terminal/text.ts";

/** How those who wrote lines are named on a terminal. */

/**
 * As `nameLineAuthor`, in one line.
 * @param isMarked whether a mark says already what kind of author it is
 */
export function describeAuthor(
  written: LineAuthor,
  person: string | null,
  width = 60,
  isMarked = false,
): string {
  if (!isMarked) return toOneLine(nameLineAuthor(written, person), width);
  const { author, agent, model } = written;
  // The vendor and the day of a model's version say least.
  const short = model?.replace(/^claude-(?=\w)/, "").replace(/-\d{8}$/, "");
  return toOneLine((author === "agent" ? (short ?? agent) : person) ?? authorNames[author], width);
}

/** "8ecde0fc:7", as far as it is known; "" for what no agent wrote. */
export const turnId = ({ session_id, turn }: LineAuthor): string =>
  session_id === null ? "" : toPrintable(formatTurnPlace(session_id, turn));

/** A text in the colour of its author. */
export function colorByAuthor(text: string, { author }: Pick<LineAuthor, "author">, colors: Palette): string {
  if (author === "agent") return colors.agent(text);
  return author === "human" ? colors.human(text) : colors.dim(text);
}

/** The beginning of a hash, as git shows it. */
export const formatCommitCell = (hash: string | null): string =>
  hash === null ? "--------" : shortenHash(hash);

/** "● agent 42%". */
export const formatAuthorShare = (share: Share, author: BlameAuthor): Piece => ({
  text: `${authorMarks[author]} ${authorNames[author]} ${formatKnownShare(share, author)}`,
  role: roleOfAuthor[author],
});

/** The share and the number of lines of each kind of author. */
export const wordAuthorKinds = (share: Share): Block =>
  table(
    [{ title: "" }, { title: "", isNumber: true }, { title: "", isNumber: true }],
    listAuthorKinds(share).map((author) => [
      { text: authorNames[author], role: roleOfAuthor[author] },
      formatKnownShare(share, author),
      share[author].toLocaleString("en"),
    ]),
  );
