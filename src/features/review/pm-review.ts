import type { Document } from "../../answers/document.ts";
import { toStoredPaths } from "../../answers/file-place.ts";
import { makeNewProject } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { authorMarks, authorNames } from "../../protocol/reading/authors.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import {
  cleanCodeLine,
  fitToWidth,
  formatCount,
  formatHeading,
  toOneLine,
  toPrintable,
} from "../../terminal/text.ts";
import { colorByAuthor } from "../blame/author-words.ts";
import { carryAttribution } from "../exchange/operation.ts";
import type { ReviewAnswer, ReviewFile } from "./operation.ts";
import { reviewChange, type reviewRequest } from "./operation.ts";
import {
  reviewAsMarkdown,
  wordBody,
  wordCarried,
  wordReviewContext,
  wordReviewFiles,
  wordReviewHead,
  wordReviewSessions,
} from "./words.ts";

interface ReviewOptions extends Omit<Shaped<typeof reviewRequest>, "range"> {
  patch?: boolean;
  format: "text" | "markdown" | "json";
  mergedAs?: string;
}

/** `pm review` */
export async function reviewCommand(
  context: CommandContext,
  range: string | undefined,
  { patch = false, format, mergedAs, file }: ReviewOptions,
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

/** A change for a person: what it is, who wrote it for which prompts, its files, what was decided about them. */
export function renderReview(
  answer: ReviewAnswer,
  range: string,
  screen: Screen,
  { patch = false }: { patch?: boolean } = {},
): string {
  const render = (document: Document) => renderDocument(document, { screen });
  const head = wordReviewHead(answer, range);
  if (answer.files.length === 0) return render(head);
  const about = [...head, ...wordBody(answer), ...wordReviewSessions(answer)];
  if (!patch) return render([...about, ...wordReviewFiles(answer), ...wordReviewContext(answer)]);
  const patches = answer.files.map((file) => renderPatch(file, answer, screen));
  return [render(about), ...patches, render(wordReviewContext(answer))]
    .filter((part) => part !== "")
    .join("\n\n");
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

/** `pm review RANGE --merged-as COMMIT`: notes for what a squash or rebase merge made of the range. */
async function carryCommand({ cwd, output }: CommandContext, range: string, mergedAs: string): Promise<void> {
  const project = (await findProjectIfAny(cwd)) ?? makeNewProject(cwd);
  const carried = await call(carryAttribution, { range, mergedAs }, project);
  showAnswer(output, carried, () => wordCarried(carried, mergedAs));
}
