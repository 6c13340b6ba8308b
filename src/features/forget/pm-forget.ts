import { loadConfig } from "../../base/config/config.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { agree } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { countNotShared } from "../share/operation.ts";
import { type ForgetRequest, type ForgetResponse, forget } from "./operation.ts";
import { isForgottenForGood, wordForgetting, wordForgotten } from "./words.ts";

/** `pm memory forget`: shows what would go, asks, and removes it. */
export async function forgetCommand(
  { cwd, output }: CommandContext,
  { dry_run: isDry = false, yes = false, note, match, ...named }: ForgetCommandOptions,
): Promise<number | undefined> {
  const project = await findProject(cwd);
  const asked: ForgetRequest = {
    ...named,
    ...(note !== undefined && { annotation: note }),
    ...(match !== undefined && { pattern: match }),
  };
  const preview = await call(forget, { ...asked, dry_run: true }, project);
  if (isNothing(preview)) {
    output.result(preview, "Nothing in the memory matches.");
    return;
  }
  output.print(renderDocument(wordForgetting(preview, note !== undefined), { screen: output }));
  if (isDry) {
    output.result(preview, "\nNothing was removed (--dry-run).");
    return;
  }
  const isForGood = isForgottenForGood(asked);
  const isPattern = asked.pattern !== undefined || asked.text !== undefined;
  if (isForGood) output.print("This cannot be undone: the backups of this memory and its trash go, too.");
  const question = isForGood ? "\nForget this for good?" : "\nForget this?";
  if (!yes && !(await agree(output, "Forgetting asks first", question))) return 1;
  const report = await call(forget, asked, project);
  if (report.log_emptied === false) {
    output.note("Another process is reading the memory; traces stay in the database log until it exits.");
  }
  const shared = await describeShared(project);
  showAnswer(output, report, () => wordForgotten(report, { isPattern, shared }));
  return;
}

export interface ForgetCommandOptions extends Omit<ForgetRequest, "annotation" | "pattern"> {
  note?: string;
  match?: string;
  yes?: boolean;
}

/** Shared data cannot be removed from other machines. */
export async function describeShared(project: Project): Promise<string[]> {
  if ((await call(countNotShared, {}, project).catch(() => null)) === null) return [];
  const branch = loadConfig(project).config["sync.branch"];
  return [`What \`pm share git\` shared of it stays on the branch ${branch} and in every copy of it.`];
}

export function isNothing({ sessions, turns, chunks, annotations, matches, questions }: ForgetResponse) {
  return sessions + turns + chunks + annotations + matches + questions === 0;
}
