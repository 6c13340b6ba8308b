import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { claudeSetup } from "../../../../agents/claude/setup.ts";
import { setups } from "../../../../agents/registry.ts";
import { type PositionedPart, partState } from "../../../../agents/setup/parts.ts";
import { projectPlace, readRecord, userPlace } from "../../../../agents/setup/record.ts";
import type { AgentSetup, PartName, Place } from "../../../../agents/setup.ts";
import { gitHooksState } from "../../../../git/hooks/state.ts";
import { findProgram } from "../../../../project/find-program.ts";
import type { Project } from "../../../../project/paths.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** The project's files and the user's own: a part may be in either. */
const placesOf = (project: Project): Place[] => [projectPlace(project), userPlace()];

/** Those of all agents but Claude Code. */
export const otherSetups = setups.filter((setup) => setup !== claudeSetup);

interface Standing extends PositionedPart {
  place: Place;
}

/** The better state of a part in the project's files and the user's; an error comes first. */
function standing(project: Project, setup: AgentSetup, name: PartName): Standing {
  const part = setup.parts.find((one) => one.name === name)!;
  const all = placesOf(project).map((place) => ({ ...partState(place, setup, part), place }));
  const order = ["current", "partial", "outdated", "kept", "absent"];
  return (
    all.find(({ error }) => error !== null) ??
    all.sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state))[0]!
  );
}

/** Where it is, for a person. */
function whereOf({ file, place }: Standing): string {
  return place.scope === "user" && !file?.startsWith("/") ? `~/${file}` : String(file);
}

/** Whether Claude Code's hooks report this project's sessions. */
export function checkHooks(project: Project): CheckResult {
  const found = standing(project, claudeSetup, "hooks");
  if (found.error) return fail(found.error.message, found.error.hint);
  if (found.state === "current") return ok(`Claude Code runs Pommel's hooks (${whereOf(found)})`);
  if (found.state === "partial") {
    return warn(
      `Claude Code has no Pommel hook for ${found.detail.join(", ")} (${whereOf(found)}).`,
      "Run `pm enable`.",
    );
  }
  if (claudeSetup.fromPlugin(projectPlace(project)).includes("hooks")) {
    return ok("Claude Code runs Pommel's hooks (the plugin's)");
  }
  if (readRecord(projectPlace(project)).disabled) {
    return ok("Claude Code's hooks are off; `pm enable` adds them again");
  }
  if (isAnotherSetUp(project)) {
    return ok("Claude Code is not set up (`pm init --agent claude`)");
  }
  return warn("Claude Code has no Pommel hooks.", "Run `pm enable`.");
}

/** Whether somebody chose another agent than Claude Code. */
export function isAnotherSetUp(project: Project): boolean {
  return otherSetups.some((setup) => standing(project, setup, "hooks").state !== "absent");
}

/** Whether another agent's hooks report its sessions; checked only where the agent was set up. */
export function checkOtherHooks(project: Project, setup: AgentSetup): CheckResult {
  const { title, agent } = setup;
  const found = standing(project, setup, "hooks");
  if (found.error) return fail(found.error.message, found.error.hint);
  if (found.state === "absent") return ok(`${title} is not set up (\`pm init --agent ${agent}\`)`);
  if (found.state === "partial") {
    return warn(
      `${title} has no Pommel hook for ${found.detail.join(", ")} (${whereOf(found)}).`,
      `Run \`pm init --agent ${agent}\`.`,
    );
  }
  const distrust = setup.distrust(found.place);
  if (distrust === null) return ok(`${title} runs Pommel's hooks (${whereOf(found)})`);
  return warn(`${title} has Pommel's hooks (${whereOf(found)}), but may not run them.`, distrust);
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
  const having = setups.filter(({ parts }) => parts.some((part) => part.name === name));
  const all = having.map((setup) => ({ setup, found: standing(project, setup, name) }));
  for (const { setup, found } of all) {
    if (found.error) return fail(found.error.message, found.error.hint);
    if (found.state === "outdated") {
      return warn(`${whereOf(found)} has entries of an older Pommel.`, "Run `pm init` to update it.");
    }
    if (found.state === "kept") {
      const what = `${whereOf(found)}: ${found.detail.join("; ")}`;
      return warn(
        `${what}. It was left as it is.`,
        `Remove it, then run \`pm init --agent ${setup.agent} --yes\`.`,
      );
    }
  }
  const current = all.flatMap(({ setup, found }) => {
    if (found.state === "current") return `${setup.title} (${whereOf(found)})`;
    return setup.fromPlugin(projectPlace(project)).includes(name) ? `${setup.title} (the plugin)` : [];
  });
  return ok(current.length === 0 ? nowhere : `${here} ${current.join(", ")}`);
}

/** Hooks and agents start `pommel`: it has to be found, and it has to be ours. */
export function checkPath(env: NodeJS.ProcessEnv = process.env): CheckResult {
  const { file, problem } = pommelOnPath(env);
  if (problem !== null) return problem;
  const short = findExecutable("pm", env);
  if (short === null || isOurs(short)) return ok(`pommel is ${file}`);
  return ok(`pommel is ${file}; \`pm\` is another program (${named(short)}), so type \`pommel\` instead`);
}

/** The `pommel` that a shell would run; `problem` says what is wrong with it. */
export function pommelOnPath(env: NodeJS.ProcessEnv = process.env): {
  file: string | null;
  problem: CheckResult | null;
} {
  const file = findExecutable("pommel", env);
  const hint = "Put Pommel's `pommel` on your PATH; docs/getting-started.md has how to install it.";
  if (file === null)
    return { file, problem: warn("`pommel` is not on the PATH, so hooks do nothing.", hint) };
  if (isOurs(file)) return { file, problem: null };
  const message = `The \`pommel\` on the PATH is another program (${named(file)}), so hooks do nothing.`;
  return { file, problem: warn(message, hint) };
}

const findExecutable = (name: string, env: NodeJS.ProcessEnv): string | null =>
  findProgram(name, env)?.at(-1) ?? null;

/** A link to our script, or the script of a package manager that starts it. */
function isOurs(file: string): boolean {
  try {
    if (basename(realpathSync(file)) === "pm.cjs") return true;
    return statSync(file).size < 65_536 && /\bpm\.cjs\b|pommel/i.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

/** An executable, with the npm package that it belongs to by its path, if any. */
function named(file: string): string {
  const inPackage = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
  const [, owner] = inPackage.exec(realpathSync(file)) ?? [];
  return owner === undefined ? file : `${file}, of the npm package ${owner}`;
}

/** What to do where git's hooks are everybody's. */
export const sharedHint =
  "Pommel still finds commits in the reflog, a little later. To record them at once, run `pommel hook git-post-commit` in the background from the hook there.";

/** Whether git's hooks report this project's commits. */
export async function checkGitHooks(project: Project): Promise<CheckResult> {
  const { state, dir, missing, reason, shadowed, disabled } = await gitHooksState(project);
  if (state === "none") return ok(`no git hooks: ${reason}`);
  if (state === "broken")
    return warn("Git's hooks cannot be checked before git can read the repository.", "");
  if (state === "installed") return ok(`git runs Pommel's hooks (${dir})`);
  if (disabled && state !== "partial") return ok("git hooks are off; `pm enable` adds them again");
  if (state === "shared") return warn(`Pommel's git hooks are missing: ${reason}.`, sharedHint);
  if (state === "absent" && shadowed.length > 0) {
    return warn(
      `Git looks for hooks in ${dir} (core.hooksPath), and Pommel's are in ${shadowed.join(", ")}.`,
      "Run `pm enable --git`.",
    );
  }
  if (state === "absent") return warn("Pommel's git hooks are missing.", "Run `pm enable --git`.");
  const who = usesLefthook(project.root) ? " `lefthook install` rewrites the hooks it manages." : "";
  return warn(`Git has no Pommel hook for ${missing.join(", ")} (${dir}).${who}`, "Run `pm enable --git`.");
}

function usesLefthook(root: string): boolean {
  return readdirSync(root).some((name) => /^\.?lefthook\.(?:ya?ml|toml|json|jsonc)$/.test(name));
}
