import type { LineAuthor } from "../../protocol/line-author.ts";
import { nameLineAuthor } from "../../protocol/reading/evidence.ts";
import { type BlameAuthor, blameAuthors } from "../../protocol/values.ts";
import type { Palette } from "../../terminal/palette.ts";
import { shortenId, toOneLine } from "../../terminal/text.ts";
import type { LinesByAuthor } from "../checkpoints/operation.ts";
import type { Share } from "../stats/operation.ts";

/** How those who wrote lines are named. */

/** What stands for each kind of author beside lines. */
export const authorMarks: Readonly<Record<LineAuthor["author"], string>> = {
  agent: "●",
  human: "○",
  unknown: "·",
  before_agents: "◦",
};

/** What each kind of author is called. */
export const authorNames: Readonly<Record<LineAuthor["author"], string>> = {
  agent: "agent",
  human: "human",
  unknown: "unknown",
  before_agents: "before agents",
};

/** Kinds of authors to name: lines from before the first session only where there are some. */
export const listAuthorKinds = ({ before_agents }: { before_agents: number }) =>
  blameAuthors.filter((author) => author !== "before_agents" || before_agents > 0);

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
export function turnId({ session_id, turn }: LineAuthor): string {
  if (session_id === null) return "";
  return turn === null ? shortenId(session_id) : `${shortenId(session_id)}:${turn}`;
}

/** A text in the colour of its author. */
export function colorByAuthor(text: string, { author }: Pick<LineAuthor, "author">, colors: Palette): string {
  if (author === "agent") return colors.agent(text);
  return author === "human" ? colors.human(text) : colors.dim(text);
}

/** The beginning of a hash, as git shows it. */
export const shortenHash = (hash: string | null): string => hash?.slice(0, 8) ?? "--------";

/** "42%"; a share that rounds to nothing, or to all, without being so is "<1%", ">99%". */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const share = (100 * part) / whole;
  if (share > 0 && share < 1) return "<1%";
  if (share > 99 && share < 100) return ">99%";
  return `${Math.round(share)}%`;
}

/** The share of an author; "–" where it has no line that is known, and others are unknown: that is not "0%". */
export function formatKnownShare(share: Share, author: BlameAuthor): string {
  const isOpen = share[author] === 0 && share.unknown > 0 && author !== "before_agents";
  return isOpen ? "–" : formatPercent(share[author], share.lines);
}

/** "● agent 42%". */
export const formatAuthorShare = (share: Share, author: BlameAuthor, colors: Palette): string =>
  colorByAuthor(
    `${authorMarks[author]} ${authorNames[author]} ${formatKnownShare(share, author)}`,
    { author },
    colors,
  );

/** The shares of a change's added lines: none of them is from before agents. */
export const toShare = (lines: LinesByAuthor): Share => ({
  ...lines,
  lines: lines.agent + lines.human + lines.unknown,
  before_agents: 0,
});
