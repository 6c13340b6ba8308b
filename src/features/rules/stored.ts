import * as z from "zod/mini";
import { loadCurrentConfig, openMemory } from "../../answers/open.ts";
import { isForHooks, writeForHooks } from "../../answers/ready-for-hooks.ts";
import type { Project } from "../../base/paths.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { createProjectScrubber } from "../../redact/project-scrubber.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readMetaValue } from "../../store/memory/meta-value.ts";
import type { ReadyRule, ReadyRules } from "./before-call.ts";
import { type RepositoryRules, type Rule, rule } from "./operation.ts";
import { readRepositoryRules } from "./repository-rules.ts";

/** Rules lie in the memory: they are encrypted, backed up and restored with it. Key in `meta`. */
const rulesKey = "rules";
/** Ids of proposals that the person does not want. Key in `meta`. */
const droppedKey = "rules_dropped";

export const readRules = (memory: Memory): Rule[] => readMetaValue(memory, rulesKey, z.array(rule())) ?? [];

export const readDropped = (memory: Memory): string[] =>
  readMetaValue(memory, droppedKey, z.array(z.string())) ?? [];

export function saveRules(memory: Memory, rules: readonly Rule[], dropped: readonly string[]): void {
  memory.runInTransaction(() => {
    memory.setMeta(rulesKey, JSON.stringify(rules));
    memory.setMeta(droppedKey, JSON.stringify(dropped));
  });
}

export const areRulesChecked = (project: Project): boolean => isForHooks(project, "rules.check");

/** What the repository of a checkout asks, but for what the person has a rule for, or dropped. */
export function readRulesOfCheckout(project: Project, memory: Memory, root = project.root): RepositoryRules {
  const known = new Set([...readRules(memory).map(({ id }) => id), ...readDropped(memory)]);
  const found = readRepositoryRules(root, () => makeCleaner(project));
  return { ...found, rules: found.rules.filter(({ id }) => !known.has(id)) };
}

/** Scrubs a text, as all that a project's memory stores. */
export function makeCleaner(project: Project): (text: string) => string {
  const scrubber =
    openMemory(project)?.getScrubbingWork().scrubber ??
    createProjectScrubber(project, loadCurrentConfig(project));
  return (text) => scrubAlone(scrubber, text);
}

/** Writes the rules down for hooks; or removes them. */
export function makeRulesReady(project: Project, memory: Memory): void {
  writeForHooks("rules", project, areRulesChecked(project) ? makeParts(project, memory) : null);
}

function makeParts(project: Project, memory: Memory): (root: string) => ReadyRules | null {
  const own = readRules(memory).map(({ said: _, ...rule }) => rule);
  return (root) => {
    const { file, rules } = readRulesOfCheckout(project, memory, root);
    const theirs = rules.map((rule) => ({ ...rule, file, times: 1, sessions: 0, mode: "remind" as const }));
    const all: ReadyRule[] = [...own, ...theirs];
    return all.length === 0
      ? null
      : { root, rules: all.map((rule) => ({ ...rule, text: toHarmlessLine(rule.text) })) };
  };
}
