import { toStoredPaths } from "../../answers/file-place.ts";
import { makeNewProject } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { drawAuthorBar } from "../../terminal/chart.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import {
  cleanCodeLine,
  fitToWidth,
  formatCount,
  formatExactWhen,
  formatHeading,
  shortenId,
  toOneLine,
  toPrintable,
  wrapText,
  wrapWithIndent,
} from "../../terminal/text.ts";
import {
  authorMarks,
  authorNames,
  colorByAuthor,
  formatAuthorShare,
  formatPercent,
  listAuthorKinds,
  toShare,
} from "../blame/author-words.ts";
import type { Carried } from "../exchange/carry.ts";
import { carryAttribution } from "../exchange/operation.ts";
import { labelDecision } from "../search/found-words.ts";
import type { ReviewAnswer, ReviewFile, ReviewSession } from "./operation.ts";
import { reviewChange, type reviewRequest } from "./operation.ts";
import { reviewAsMarkdown } from "./review-markdown.ts";
import {
  contestedText,
  describeDecisionFate,
  describeTie,
  statusNames,
  turnsToShow,
} from "./review-words.ts";

interface Options extends Omit<Shaped<typeof reviewRequest>, "range"> {
  patch?: boolean;
  format: "text" | "markdown" | "json";
  mergedAs?: string;
}

/** `pm review` */
export async function reviewCommand(
  context: CommandContext,
  range: string | undefined,
  { patch = false, format, mergedAs, file }: Options,
): Promise<void> {
  const { cwd, output } = context;
  if (mergedAs !== undefined) {
    return carryCommand(context, range ?? "", mergedAs);
  }
  const project = await findProject(cwd);
  const paths = file && toStoredPaths(project, cwd, file);
  const answer = await call(reviewChange, { range, file: paths }, project);
  if (!output.json && format === "text")
    for (const note of answer.notes) output.note(output.colors.dim(note));
  output.result(answer, () => {
    if (format === "json") return JSON.stringify(answer, null, 2);
    return format === "markdown"
      ? reviewAsMarkdown(answer, range ?? "")
      : renderReview(answer, range ?? "", output, { patch });
  });
}

/** Prompts of a session, files and tests that are named before the rest is counted. */
const turnsShown = 6;
const filesShown = 40;
const testsShown = 10;

/** A change for a person: what it is, who wrote it for which prompts, its files, what was decided about them. */
export function renderReview(
  answer: ReviewAnswer,
  range: string,
  screen: Screen,
  { patch = false }: { patch?: boolean } = {},
): string {
  if (answer.files.length === 0) {
    return answer.kind === "uncommitted" ? "Everything is committed." : "No file changed.";
  }
  const { colors } = screen;
  return [
    renderHead(answer, range, screen),
    ...answer.sessions.map((session) => renderSession(session, screen)),
    ...(answer.sessions.length === 0 ? [colors.dim("No recorded session led to it.")] : []),
    patch
      ? answer.files.map((file) => renderPatch(file, answer, screen)).join("\n\n")
      : renderFiles(answer, screen),
    ...list(
      "Decided about these files",
      answer.decisions.map((decision) =>
        [
          labelDecision(decision, "person") ?? "",
          toOneLine(decision.text),
          ...describeDecisionFate(decision).map((fate) => `(${fate})`),
        ]
          .filter((part) => part !== "")
          .join(" "),
      ),
      screen,
    ),
    ...list(
      "Done and undone",
      contestedText(answer).map(([text, about]) => `${toOneLine(text)} (${about})`),
      screen,
    ),
    ...list("Tests changed", answer.tests_changed.slice(0, testsShown).map(toPrintable), screen),
    ...list("Tests around it, not changed", answer.tests.slice(0, testsShown).map(toPrintable), screen),
  ].join("\n\n");
}

function renderHead(answer: ReviewAnswer, range: string, screen: Screen): string {
  const { kind, commits, commits_total, files, insertions, deletions, lines } = answer;
  const { colors } = screen;
  const [only] = commits;
  const share = toShare(lines);
  const shares = listAuthorKinds(share)
    .filter((author) => share[author] > 0)
    .map((author) => formatAuthorShare(share, author, colors));
  const size = `${formatCount(files.length, "file")}, ${colors.added(`+${insertions}`)} ${colors.removed(`-${deletions}`)}`;
  const facts = `${size}  ${shares.join("  ")}`;
  if (kind === "commit" && only !== undefined) {
    const made = [
      only.committed_at === null ? "" : formatExactWhen(only.committed_at, screen),
      only.author,
      only.branch ?? "",
    ];
    return [
      ...wrapText(only.subject === "" ? "(no message)" : only.subject, screen.columns).map(colors.bold),
      `commit ${colors.commit(toPrintable(only.hash))}`,
      ...wrapText(made.filter((fact) => fact !== "").join(" | "), screen.columns),
      facts,
      ...(only.body === ""
        ? []
        : ["", ...only.body.split("\n").flatMap((line) => wrapText(line, screen.columns))]),
    ].join("\n");
  }
  const title =
    kind === "range" ? `${toOneLine(range)}: ${formatCount(commits_total, "commit")}` : "Not committed yet";
  return `${colors.bold(title)}\n${facts}`;
}

function renderSession(session: ReviewSession, screen: Screen): string {
  const { colors } = screen;
  const { session_id, title, agent, author, lines, turns } = session;
  const facts = [author ?? "", agent ?? "", formatCount(lines, "line"), describeTie(session)].filter(
    (fact) => fact !== "",
  );
  const head = `${colors.id(shortenId(session_id))}  ${toOneLine(title ?? "(no title)")}  ${colors.dim(facts.join(", "))}`;
  const { shown, more } = turnsToShow(turns, turnsShown);
  return [
    ...wrapWithIndent(head, screen),
    ...shown.map(({ turn, prompt }) => {
      const number = colors.id(`${String(turn).padStart(4)}.`);
      return `${number} ${fitToWidth(prompt ?? "(not stored here)", (screen.columns ?? 0) - 6, screen)}`;
    }),
    ...(more > 0 ? [colors.dim(`      and ${formatCount(more, "more turn")}`)] : []),
  ].join("\n");
}

const barWidth = 12;

const columns: Column[] = [
  { title: "file", wraps: true },
  { title: "" },
  { title: "lines", isNumber: true },
  { title: "written by", optional: 1 },
  { title: "by agents", isNumber: true, optional: 2 },
];

function renderFiles({ files }: ReviewAnswer, screen: Screen): string {
  const { colors } = screen;
  const shown = screen.columns === undefined ? files : files.slice(0, filesShown);
  const rows = shown.map(({ path, status, insertions, deletions, lines }) => {
    const share = toShare(lines);
    return [
      colors.place(toPrintable(path)),
      colors.dim(statusNames[status] ?? ""),
      `${colors.added(`+${insertions}`)} ${colors.removed(`-${deletions}`)}`,
      share.lines === 0 || screen.columns === undefined ? "" : drawAuthorBar(share, barWidth, colors),
      share.lines === 0 ? "" : formatPercent(share.agent, share.lines),
    ];
  });
  const more = files.length - shown.length;
  return [
    formatTable(columns, rows, screen),
    ...(more > 0 ? [colors.dim(`and ${formatCount(more, "more file")}`)] : []),
  ].join("\n");
}

/** The lines of a file with a mark for who wrote each; the prompt stands where the author changes. */
function renderPatch(file: ReviewFile, { authors, sessions }: ReviewAnswer, screen: Screen): string {
  const { colors } = screen;
  const text = [formatHeading(toPrintable(file.path), colors)];
  let last: number | null = null;
  for (const { old_start, new_start, lines } of file.hunks) {
    text.push(colors.dim(`@@ -${old_start} +${new_start} @@`));
    for (const { mark, text: line, by } of lines) {
      const author = by === null ? null : (authors[by] ?? null);
      if (author !== null && by !== last) {
        const session = sessions.find((one) => one.session_id === author.session_id);
        const prompt = session?.turns.find(({ turn }) => turn === author.turn)?.prompt;
        const who = author.author === "agent" ? (author.agent ?? "agent") : authorNames[author.author];
        const about = prompt ? `: ${toOneLine(prompt)}` : "";
        text.push(
          colorByAuthor(
            fitToWidth(`${authorMarks[author.author]} ${who}${about}`, screen.columns ?? 100, screen),
            author,
            colors,
          ),
        );
        last = by;
      }
      const shown = `${mark} ${cleanCodeLine(line)}`;
      const beside = author === null ? " " : colorByAuthor(authorMarks[author.author], author, colors);
      text.push(
        `${beside} ${mark === "+" ? colors.added(shown) : mark === "-" ? colors.removed(shown) : shown}`,
      );
    }
  }
  if (file.lines_left_out > 0)
    text.push(colors.dim(`${formatCount(file.lines_left_out, "changed line")} more: git show`));
  if (file.hunks.length === 0) text.push(colors.dim("No lines to show."));
  return text.join("\n");
}

function list(title: string, items: readonly string[], screen: Screen): string[] {
  if (items.length === 0) return [];
  return [
    [
      formatHeading(title, screen.colors),
      ...items.flatMap((item) => wrapWithIndent(`- ${item}`, screen, 2)),
    ].join("\n"),
  ];
}

/** `pm review RANGE --merged-as COMMIT`: notes for what a squash or rebase merge made of the range. */
async function carryCommand({ cwd, output }: CommandContext, range: string, mergedAs: string): Promise<void> {
  const project = (await findProjectIfAny(cwd)) ?? makeNewProject(cwd);
  const carried = await call(carryAttribution, { range, mergedAs }, project);
  output.result(carried, () => describeCarried(carried, mergedAs));
}

function describeCarried(
  { onto, ref, written, updated, unchanged, kept, unknown }: Carried,
  mergedAs: string,
): string {
  if (onto.length === 0)
    return `Nothing to carry: ${mergedAs} is a merge that keeps the commits, or one of them.`;
  const parts = [
    `${formatCount(written.length + updated.length, "note")} written`,
    unchanged > 0 && `${unchanged} already there`,
    kept.length > 0 && `${kept.length} of another tool kept`,
    unknown > 0 && `${formatCount(unknown, "commit")} without a line of a known author`,
  ].filter((part) => part !== false);
  return `${ref}: ${parts.join(", ")}.`;
}
