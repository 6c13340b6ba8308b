import { existsSync } from "node:fs";
import { join } from "node:path";
import { detectSpeaker } from "../../agents/profiles.ts";
import type { Document } from "../../answers/document.ts";
import { exitCode, PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { findMatch, type RuleCheck } from "./check.ts";
import type { WrittenCheck } from "./make-check.ts";
import {
  type changeRequest,
  changeRule,
  listRules,
  type proposeRequest,
  proposeRules,
  type RuleMode,
  ruleModes,
} from "./operation.ts";
import { wordChange, wordProposals, wordRules, wordRulesAsMarkdown, wordTest } from "./words.ts";

const render = (document: Document, output: Output): string =>
  renderDocument(document, { screen: output, full: true, pageOf: () => null });

/** `pm rules` */
export async function listCommand(
  { cwd, output }: CommandContext,
  { markdown = false, toml = false }: { markdown?: boolean; toml?: boolean },
): Promise<void> {
  const answer = await call(listRules, {}, await findProject(cwd));
  const file = toml ? (await import("./repository-rules.ts")).writeRepositoryFile(answer.rules) : "";
  output.result(answer, () => {
    if (toml) return file;
    return markdown ? wordRulesAsMarkdown(answer.rules) : render(wordRules(answer), output);
  });
}

/** `pm rules propose`. @returns 5 when there is none */
export async function proposeCommand(
  { cwd, output }: CommandContext,
  options: Shaped<typeof proposeRequest>,
): Promise<number> {
  const answer = await call(proposeRules, options, await findProject(cwd));
  output.result(answer, () => render(wordProposals(answer), output));
  return answer.proposals.length === 0 ? exitCode.notFound : exitCode.ok;
}

interface RuleModeOption {
  mode?: RuleMode;
}

/** `pm rules accept` */
export const acceptCommand = (context: CommandContext, id: string, { mode }: RuleModeOption): Promise<void> =>
  change(context, { change: "accept", id, mode });

/** `pm rules add` */
export const addCommand = (
  context: CommandContext,
  words: string[],
  given: RuleModeOption & WrittenCheck,
): Promise<void> => change(context, { change: "add", text: words.join(" "), ...given });

/** `pm rules drop` */
export const dropCommand = (context: CommandContext, id: string): Promise<void> =>
  change(context, { change: "drop", id });

/** `pm rules mode` */
export async function modeCommand(context: CommandContext, id: string, named: string): Promise<void> {
  const mode = ruleModes.find((one) => one === named);
  if (mode === undefined)
    throw new PommelError("usage", `Unknown mode: ${named}.`, `Choose from: ${ruleModes.join(", ")}.`);
  await change(context, { change: "mode", id, mode });
}

async function change({ cwd, output }: CommandContext, request: Shaped<typeof changeRequest>): Promise<void> {
  // An agent that may change what it is checked by is not checked.
  if (detectSpeaker() !== "person")
    throw new PommelError("usage", "Only a person can set rules.", "Run it in a shell of your own.");
  const answer = await call(changeRule, request, await findProject(cwd));
  output.result(answer, () => render(wordChange(request.change, answer), output));
}

/** `pm rules test`. @returns 5 when no rule speaks */
export async function testCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { path, added = "", tool = "" }: { path?: string; added?: string; tool?: string },
): Promise<number> {
  const project = await findProject(cwd);
  const { rules: own, repository } = await call(listRules, {}, project);
  const rules = [...own, ...repository.rules.map((rule) => ({ ...rule, mode: "remind" as const }))];
  const files = path === undefined ? [] : [path];
  const created = files.filter((file) => !existsSync(join(project.root, file)));
  const made = { tool, command: words.join(" "), files, created, added };
  const broken = rules.flatMap((rule) => {
    const what = findMatch(rule.check as RuleCheck, made);
    return what === null ? [] : [{ rule, what }];
  });
  output.result(
    { rules: broken.map(({ rule, what }) => ({ id: rule.id, text: rule.text, mode: rule.mode, what })) },
    () => render(wordTest(broken, rules.length), output),
  );
  return broken.length === 0 ? exitCode.notFound : exitCode.ok;
}
