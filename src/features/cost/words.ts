import {
  type Document,
  faint,
  id,
  line,
  makeCommitPiece,
  makeDocument,
  strong,
  table,
  wordShown,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { formatCost, formatTokens } from "./amount-words.ts";
import type { CostAnswer } from "./operation.ts";

/** What it comes to, in a sentence. */
export function describeTotal({ total }: Pick<CostAnswer, "total">): string {
  const cost = formatCost(total);
  const tokens = `${formatTokens(total.input + total.cache_read + total.cache_write)} tokens read, ${total.output === null ? "output not recorded" : `${formatTokens(total.output)} written`}`;
  return `${formatCount(total.sessions, "session")}: ${cost === "" ? "" : `${cost}, `}${tokens}`;
}

/** What the sums rest on, and what they leave out: whole sentences. */
export function describeBasis({ total, prices, lists }: CostAnswer): string[] {
  const unpriced = prices.filter(({ price }) => price === null).map(({ model }) => model);
  const own = prices.filter(({ from }) => from === "settings").map(({ model }) => model);
  const published = lists.map(({ vendor, as_of }) => `${vendor} (${as_of})`).join(", ");
  return [
    published !== "" && `By the list prices of ${published}; a subscription or a discount costs less.`,
    own.length > 0 && `By your own prices: ${own.join(", ")}.`,
    unpriced.length > 0 &&
      `No price is known for ${unpriced.join(", ")}: add one with \`pm config set cost.prices\`.`,
    total.without_output > 0 &&
      `In ${formatCount(total.without_output, "session")}, the agent recorded only what its model read, not what it wrote.`,
  ].filter((sentence) => sentence !== false);
}

export function wordCost(answer: CostAnswer): Document {
  const { by, rows, rows_total } = answer;
  if (rows.length === 0) return [[line("No tokens recorded.")]];
  const isOfSessions = by !== "session" && by !== "turn";
  const sums = table(
    [
      { title: by },
      { title: "cost", isNumber: true },
      { title: "input", isNumber: true },
      { title: "from cache", isNumber: true },
      { title: "into cache", isNumber: true, optional: 2 },
      { title: "output", isNumber: true },
      { title: isOfSessions ? "sessions" : "", isNumber: true, optional: 1 },
      { title: "title", wraps: true },
    ],
    rows.map((row) => [
      by === "session"
        ? id(shortenSessionId(row.name))
        : by === "commit" && row.name !== ""
          ? makeCommitPiece(row.name)
          : { text: row.name === "" ? `(no ${by})` : row.name },
      formatCost(row),
      formatTokens(row.input),
      formatTokens(row.cache_read),
      formatTokens(row.cache_write),
      `${row.output !== null && row.without_output > 0 ? "≥ " : ""}${formatTokens(row.output)}`,
      isOfSessions && row.sessions.toLocaleString("en"),
      { text: row.title ?? "" },
    ]),
  );
  return makeDocument([
    line(strong(describeTotal(answer))),
    sums,
    ...wordShown(rows.length, rows_total),
    ...describeBasis(answer).map((sentence) => line(faint(sentence))),
  ]);
}
