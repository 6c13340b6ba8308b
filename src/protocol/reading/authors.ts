import { type BlameAuthor, blameAuthors } from "../values.ts";
import { formatPercent } from "./numbers.ts";

/** Lines by who wrote them, for a reader. */

type AuthorCounts = Readonly<Record<Exclude<BlameAuthor, "before_agents">, number>> & {
  readonly before_agents?: number;
};
type LinesShare = AuthorCounts & { readonly lines: number };

/** What stands for each kind of author beside lines. */
export const authorMarks: Readonly<Record<BlameAuthor, string>> = {
  agent: "●",
  human: "○",
  unknown: "·",
  before_agents: "◦",
};

/** What each kind of author is called. */
export const authorNames: Readonly<Record<BlameAuthor, string>> = {
  agent: "agent",
  human: "person",
  unknown: "unknown",
  before_agents: "before agents",
};

/** As what a document marks each kind. */
export const roleOfAuthor = {
  agent: "agent",
  human: "human",
  unknown: "unknown",
  before_agents: "unknown",
} as const satisfies Record<BlameAuthor, string>;

const byAuthors: Readonly<Record<BlameAuthor, string>> = {
  agent: "by agents",
  human: "by people",
  unknown: "unknown",
  before_agents: "from before agents",
};

/** Kinds of authors to name: lines from before the first session only where there are some. */
export const listAuthorKinds = ({ before_agents }: { before_agents: number }) =>
  blameAuthors.filter((author) => author !== "before_agents" || before_agents > 0);

/** The kinds of authors that wrote any: how many lines, and "by agents". */
export const countByAuthors = (lines: AuthorCounts): { count: number; by: string }[] =>
  blameAuthors.flatMap((author) => {
    const count = lines[author] ?? 0;
    return count === 0 ? [] : [{ count, by: byAuthors[author] }];
  });

/** The shares of lines; those of a change have none from before agents. */
export const toShare = ({
  agent,
  human,
  unknown,
  before_agents = 0,
}: AuthorCounts): Required<LinesShare> => ({
  agent,
  human,
  unknown,
  before_agents,
  lines: agent + human + unknown + before_agents,
});

/** "95 lines by agents, 1 by people, 5 unknown"; none of those with zero. */
export function wordLinesByAuthor(lines: AuthorCounts): string {
  const parts = countByAuthors(lines).map(({ count, by }, i) => {
    const noun = i > 0 ? "" : count === 1 ? " line" : " lines";
    return `${count.toLocaleString("en")}${noun} ${by}`;
  });
  return parts.length === 0 ? "no lines added" : parts.join(", ");
}

/** "81% by agents, 12% by people, 7% unknown"; none of those with zero. */
export const wordSharesByAuthor = (lines: AuthorCounts): string =>
  countByAuthors(lines)
    .map(({ count, by }) => `${formatPercent(count, toShare(lines).lines)} ${by}`)
    .join(", ");

/** How much of what a change added agents wrote: "95%"; "" for nothing. */
export function formatAgentShare(lines: AuthorCounts): string {
  const share = toShare(lines);
  return share.lines === 0 ? "" : formatKnownShare(share, "agent");
}

/** The share of an author; "–" where it has no line that is known, and others are unknown: that is not "0%". */
export function formatKnownShare(share: LinesShare, author: BlameAuthor): string {
  const own = share[author] ?? 0;
  const isOpen = own === 0 && share.unknown > 0 && author !== "before_agents";
  return isOpen ? "–" : formatPercent(own, share.lines);
}
