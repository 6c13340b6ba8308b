import { toInertText } from "../../base/text/markdown/inert.ts";
import { formatCount } from "../../terminal/text.ts";
import { formatPercent, toShare } from "../blame/author-words.ts";
import { labelDecision } from "../search/found-words.ts";
import type { ReviewAnswer, ReviewSession } from "./operation.ts";
import { contestedText, describeDecisionFate, describeTie, turnsToShow } from "./review-words.ts";

/** Sessions, prompts of each, and files that are named before the rest is counted. */
const shownCounts = { sessions: 8, turns: 5, files: 25, items: 10 } as const;

/**
 * A change as a comment for a pull request. What people and agents wrote stands in it as text: it can neither format
 * anything, nor mention anybody, nor link anywhere.
 */
export function reviewAsMarkdown(answer: ReviewAnswer, range: string): string {
  const { kind, commits, files, sessions, lines, insertions, deletions, decisions } = answer;
  const total = toShare(lines).lines;
  const title =
    kind === "commit" ? (commits[0]?.subject ?? range) : kind === "range" ? range : "Not committed yet";
  const shares = [
    [lines.agent, "by agents"],
    [lines.human, "by people"],
    [lines.unknown, "unknown"],
  ] as const;
  return [
    `### ${toInertText(title.replace(/\b([0-9a-f]{8})[0-9a-f]{32,56}\b/g, "$1"))}`,
    `${formatCount(files.length, "file")}, +${insertions} −${deletions}. Added lines: ${shares
      .filter(([count]) => count > 0)
      .map(([count, who]) => `**${formatPercent(count, total)}** ${who}`)
      .join(", ")}.`,
    ...(sessions.length === 0 ? ["No shared session led to it."] : []),
    ...sessions.slice(0, shownCounts.sessions).map(formatSessionMarkdown),
    ...formatMore(sessions.length - shownCounts.sessions, "more session"),
    ["| File | Lines | By agents |", "| --- | ---: | ---: |"]
      .concat(
        files
          .slice(0, shownCounts.files)
          .map(({ path, insertions: added, deletions: removed, lines: by }) => {
            const all = toShare(by).lines;
            return `| ${toInertText(path)} | +${added} −${removed} | ${all === 0 ? "" : formatPercent(by.agent, all)} |`;
          }),
      )
      .join("\n"),
    ...formatMore(files.length - shownCounts.files, "more file"),
    ...formatSection(
      "Decided about these files",
      decisions.map((decision) =>
        [
          toInertText(labelDecision(decision, "reader") ?? ""),
          toInertText(decision.text),
          ...describeDecisionFate(decision).map((fate) => `*(${fate})*`),
        ]
          .filter((part) => part !== "")
          .join(" "),
      ),
    ),
    ...formatSection(
      "Done and undone",
      contestedText(answer).map(([text, about]) => `${toInertText(text)} (${about})`),
    ),
    ...formatSection(
      "Tests changed",
      answer.tests_changed.map((path) => toInertText(path)),
    ),
    ...formatSection(
      "Tests around it, not changed",
      answer.tests.map((path) => toInertText(path)),
    ),
  ].join("\n\n");
}

function formatSessionMarkdown(session: ReviewSession): string {
  const { title, agent, author, lines, turns, session_id } = session;
  const facts = [
    toInertText(author ?? ""),
    toInertText(agent ?? ""),
    formatCount(lines, "line"),
    describeTie(session),
  ];
  const { shown: asked, more: others } = turnsToShow(turns, shownCounts.turns);
  return [
    `**${toInertText(title ?? `Session ${session_id.slice(0, 8)}`)}** (${facts.filter((fact) => fact !== "").join(", ")})`,
    ...asked.map(({ turn, prompt }) => `- ${prompt === null ? `turn ${turn}` : toInertText(prompt)}`),
    ...formatMore(others, "more turn").map((line) => `- ${line}`),
  ].join("\n");
}

const formatMore = (count: number, unit: string) => (count > 0 ? [`and ${formatCount(count, unit)}`] : []);

function formatSection(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const left = items.length - shownCounts.items;
  const rest = left > 0 ? [`and ${left} more`] : [];
  return [
    [`**${title}**`, ...[...items.slice(0, shownCounts.items), ...rest].map((item) => `- ${item}`)].join(
      "\n",
    ),
  ];
}
