import { toStoredPaths } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { showCost } from "../cost/operation.ts";
import { wordCost } from "../cost/words.ts";
import { showStats, type statsRequest } from "./operation.ts";
import { wordStats } from "./words.ts";

interface StatsOptions extends Omit<Shaped<typeof statsRequest>, "depth"> {
  dirDepth?: number;
  limit?: number;
  cost?: true;
}

/** Weeks in the line that shows how it went. */
const weeksInLine = 52;

/** `pm code stats` */
export async function statsCommand(
  { cwd, output }: CommandContext,
  { cost, ...given }: StatsOptions,
): Promise<void> {
  const project = await findProject(cwd);
  if (cost) {
    const { since, until, limit, path, dirDepth, files, setbacks, all } = given;
    if ([path, dirDepth, files, setbacks, all].some((one) => one !== undefined)) {
      throw new PommelError(
        "usage",
        "With --cost, only --since, --until and --limit count.",
        "`pm cost --help` shows what else can be asked about cost.",
      );
    }
    const answer = await call(showCost, { since, until, limit }, project);
    showAnswer(output, answer, () => wordCost(answer));
    return;
  }
  const { path = [], dirDepth, limit = 10, ...options } = given;
  const request = { ...options, path: toStoredPaths(project, cwd, path), depth: dirDepth };
  const answer = await call(showStats, request, project);
  const weeks = Math.min(weeksInLine, (output.columns ?? 80) - 10);
  showAnswer(output, answer, () => wordStats(answer, limit, weeks));
}
