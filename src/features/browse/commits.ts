import { padToWidth } from "../../base/text/display-width.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { formatAgentShare } from "../../protocol/reading/authors.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { formatWhen, toOneLine } from "../../terminal/text.ts";
import type { CheckpointSummary } from "../checkpoints/operation.ts";
import { noCheckpoints, wordCheckpoint } from "../checkpoints/words.ts";
import { top } from "./scroll.ts";
import { type BrowseSurroundings, type BrowseView, type Page, splitColumns } from "./view.ts";

const request = { limit: 500 };

/** The commits that sessions led to, the latest first. */
export function buildCommitsView(
  { at }: Page & { kind: "commits" },
  { answers, screen }: BrowseSurroundings,
): BrowseView {
  const answer = answers.to("checkpoints", request);
  const { checkpoints = [], total = 0 } = answer?.value ?? {};
  const chosen = checkpoints[Math.min(at, checkpoints.length - 1)];
  return {
    title: "Commits that sessions led to",
    status: total === 0 ? "" : total.toLocaleString("en"),
    content:
      checkpoints.length > 0
        ? {
            kind: "list",
            count: checkpoints.length,
            rowHeight: 1,
            row: (index, width, isChosen) => [renderRow(checkpoints[index]!, width, isChosen, screen)],
            header: (width) =>
              `  ${"Commit".padEnd(10)}${"Committed".padEnd(16)}${linesColumns(width) === 0 ? "" : "Lines".padEnd(14)}Agents  Subject`,
            preview: (index, width) => renderCommit(checkpoints[index]!.commit, width, answers, screen),
          }
        : { kind: "message", text: answer === null ? "Loading…" : (answer.error ?? noCheckpoints) },
    target(index) {
      const commit = checkpoints[index]?.commit;
      return commit === undefined
        ? {}
        : { opens: { kind: "commit", hash: commit, scroll: top }, copies: commit };
    },
    asks: [
      { route: "checkpoints", request },
      ...(chosen === undefined || screen.columns < splitColumns
        ? []
        : [{ route: "checkpoint" as const, request: { id: chosen.commit } }]),
    ],
  };
}

/** Of the column of changed lines, for which a narrow list has no room. */
const linesColumns = (width: number): number => (width < 80 ? 0 : 14);

function renderCommit(
  hash: string,
  width: number,
  answers: BrowseSurroundings["answers"],
  screen: BrowseSurroundings["screen"],
): string[] {
  const answer = answers.to("checkpoint", { id: hash });
  if (answer?.value === undefined) return [answer?.error ?? "Loading…"];
  return renderDocument(wordCheckpoint(answer.value), { screen: { ...screen, columns: width } }).split("\n");
}

function renderRow(
  { commit, committed_at, insertions, deletions, lines, subject }: CheckpointSummary,
  width: number,
  isChosen: boolean,
  screen: BrowseSurroundings["screen"],
): string {
  const { colors } = screen;
  const changed = linesColumns(width);
  const name = toOneLine(subject, Math.max(width - 36 - changed, 8));
  return [
    isChosen ? colors.prompt("❯ ") : "  ",
    `${colors.id(shortenHash(commit))}  `,
    `${padToWidth(formatWhen(committed_at, screen), 14)}  `,
    changed === 0 ? "" : padToWidth(`+${insertions} -${deletions}`, changed),
    `${formatAgentShare(lines).padStart(6)}  `,
    isChosen ? colors.bold(name) : name,
  ].join("");
}
