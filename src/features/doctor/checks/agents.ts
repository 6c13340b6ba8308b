import { readdirSync } from "node:fs";
import { defaultAgentName } from "../../../agents/profiles.ts";
import type { PartName } from "../../../agents/setup.ts";
import type { Project } from "../../../base/paths.ts";
import { readGitHooksState } from "../../../git/hooks/state.ts";
import {
  describeExecutable,
  findExecutable,
  findPommelOnPath,
  isOurs,
} from "../../../setup/pommel-on-path.ts";
import { isAnotherSetUp, seeParts } from "../../../setup/seen-parts.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** Whether an agent's hooks report this project's sessions; one that was not set up is fine, unless none is. */
export function checkHooks(project: Project, agent: string): CheckResult {
  const { part, found, where } = seeParts(project, "hooks").find((one) => one.part.owner === agent)!;
  const isDefault = agent === defaultAgentName;
  const hint = isDefault ? "Run `pm enable`." : `Run \`pm init --agent ${agent}\`.`;
  if (found.error) return fail(found.error.message, found.error.hint);
  if (found.state === "partial")
    return warn(`${part.title} has no Pommel hook for ${found.detail.join(", ")} (${where}).`, hint);
  if (found.state !== "absent") {
    const distrust = part.setup.distrust(part.place);
    if (distrust === null) return ok(`${part.title} runs Pommel's hooks (${where})`);
    return warn(`${part.title} has Pommel's hooks (${where}), but may not run them.`, distrust);
  }
  if (part.isFromPlugin()) return ok(`${part.title} runs Pommel's hooks (the plugin's)`);
  if (isDefault && part.isOff()) return ok(`${part.title}'s hooks are off; \`pm enable\` adds them again`);
  if (isDefault && !part.setup.isUsed(part.place)) return ok(`${part.title} is not used here`);
  if (isDefault && !isAnotherSetUp(project)) return warn(`${part.title} has no Pommel hooks.`, hint);
  return ok(`${part.title} is not set up (\`pm init --agent ${agent}\`)`);
}

/** Which agents can ask Pommel through its MCP server. */
export function checkMcp(project: Project): CheckResult {
  return checkPart(project, "mcp", {
    here: "the MCP server is registered with",
    nowhere: "no agent has Pommel's MCP server (`pm init --mcp` registers it)",
  });
}

/** Which agents have instructions on when to ask Pommel. */
export function checkInstructions(project: Project): CheckResult {
  const skill = checkPart(project, "skill", { here: "", nowhere: "" });
  if (skill.status !== "ok") return skill;
  return checkPart(project, "instructions", {
    here: "instructions for agents are in",
    nowhere: "no agent has instructions for Pommel (`pm init --instructions` adds them)",
  });
}

function checkPart(
  project: Project,
  name: PartName,
  { here, nowhere }: { here: string; nowhere: string },
): CheckResult {
  const current: string[] = [];
  for (const { part, found, where } of seeParts(project, name)) {
    if (found.error) return fail(found.error.message, found.error.hint);
    if (found.state === "outdated")
      return warn(`${where} has entries of an older Pommel.`, "Run `pm init` to update it.");
    if (found.state === "kept") {
      return warn(
        `${where}: ${found.detail.join("; ")}. It was left as it is.`,
        `Remove it, then run \`pm init --agent ${part.owner} --yes\`.`,
      );
    }
    if (found.state === "current") current.push(`${part.title} (${where})`);
    else if (part.isFromPlugin()) current.push(`${part.title} (the plugin)`);
  }
  return ok(current.length === 0 ? nowhere : `${here} ${current.join(", ")}`);
}

/** Hooks and agents start `pommel`: it has to be found, and it has to be ours. */
export function checkPath(env: NodeJS.ProcessEnv = process.env): CheckResult {
  const { file, problem } = findPommelOnPath(env);
  if (problem !== null) return warn(problem.message, problem.hint);
  const short = findExecutable("pm", env);
  if (short === null || isOurs(short)) return ok(`pommel is ${file}`);
  return ok(
    `pommel is ${file}; \`pm\` is another program (${describeExecutable(short)}), so type \`pommel\` instead`,
  );
}

/** Whether git's hooks report this project's commits. */
export async function checkGitHooks(project: Project): Promise<CheckResult> {
  const { state, dir, missing, reason, error, shadowed, disabled, isLost } = await readGitHooksState(project);
  const hint = "Run `pm enable --git`.";
  if (state === "none") return ok(`no git hooks: ${reason}`);
  if (state === "broken")
    return warn("Git's hooks cannot be checked before git can read the repository.", "");
  if (state === "installed") return ok(`git runs Pommel's hooks (${dir})`);
  if (state === "partial") {
    const who = hasLefthook(project.root) ? " `lefthook install` rewrites the hooks it manages." : "";
    return warn(`Git has no Pommel hook for ${missing.join(", ")} (${dir}).${who}`, hint);
  }
  if (disabled) return ok("git hooks are off; `pm enable` adds them again");
  if (error !== null) return warn(error.message, error.hint);
  if (isLost) return warn("Pommel's git hooks are missing.", hint);
  if (shadowed.length === 0)
    return ok("no git hooks: commits are seen as git records them (`pm enable --git` adds hooks)");
  return warn(
    `Git looks for hooks in ${dir} (core.hooksPath), and Pommel's are in ${shadowed.join(", ")}.`,
    hint,
  );
}

function hasLefthook(root: string): boolean {
  return readdirSync(root).some((name) => /^\.?lefthook\.(?:ya?ml|toml|json|jsonc)$/.test(name));
}
