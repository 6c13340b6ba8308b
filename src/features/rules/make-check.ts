import type { RuleCheck } from "./check.ts";
import { isPlainGlob, makePathCheck } from "./find-rules.ts";

/** What a rule forbids, as a person writes it: one of these. */
export interface WrittenCheck {
  command?: string | undefined;
  path?: string | undefined;
  added?: string | undefined;
  tool?: string | undefined;
  created?: string | undefined;
}

/** null where it is not one thing, an empty one, or a path with too many wildcards. */
export function makeCheck({ command, path, added, tool, created }: WrittenCheck): RuleCheck | null {
  const given = [command, path, added, tool, created].filter((one) => one !== undefined);
  if (given.length !== 1 || given[0]!.trim() === "") return null;
  if (!isPlainGlob(path ?? created ?? "")) return null;
  if (command !== undefined) return { kind: "command", words: command.trim().split(/\s+/) };
  if (path !== undefined) return makePathCheck(path.trim());
  if (created !== undefined) return { ...makePathCheck(created.trim()), kind: "created" };
  if (tool !== undefined) return { kind: "tool", name: tool.trim() };
  return { kind: "added", text: given[0]!.trim() };
}

/** As it was written. */
export function writeCheck(check: RuleCheck): WrittenCheck {
  switch (check.kind) {
    case "command":
      return { command: check.words.join(" ") };
    case "path":
      return { path: check.glob };
    case "created":
      return { created: check.glob };
    case "added":
      return { added: check.text };
    case "tool":
      return { tool: check.name };
  }
}
