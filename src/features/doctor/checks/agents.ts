import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { defaultAgentName } from "../../../agents/profiles.ts";
import type { PartName } from "../../../agents/setup.ts";
import { findProgram } from "../../../base/find-program.ts";
import type { Project } from "../../../base/paths.ts";
import { readGitHooksState } from "../../../git/hooks/state.ts";
import { type AgentPart, listAgentParts } from "../../../setup/agent-part.ts";
import type { PartState } from "../../../setup/part.ts";
import { makeProjectPlace, makeUserPlace } from "../../../setup/record.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** A part where it is at its best: in the project's files or in the user's own. */
interface SeenPart {
  part: AgentPart;
  found: PartState;
  /** Its file, for a person. */
  where: string;
}

/** From the best to the worst; what cannot be read comes before all. */
const rankedStates: readonly PartState["state"][] = ["current", "partial", "outdated", "kept", "absent"];

/** Agents' parts of this name. */
function seeParts(project: Project, name: PartName): SeenPart[] {
  const seen = new Map<string, SeenPart>();
  const rank = ({ state, error }: PartState) => (error === null ? rankedStates.indexOf(state) : -1);
  for (const part of [...listAgentParts(makeProjectPlace(project)), ...listAgentParts(makeUserPlace())]) {
    const found = part.name === name ? part.look() : null;
    const best = seen.get(part.key);
    if (found === null || (best && rank(best.found) <= rank(found))) continue;
    const isHome = part.place.scope === "user" && !found.file?.startsWith("/");
    seen.set(part.key, { part, found, where: isHome ? `~/${found.file}` : String(found.file) });
  }
  return [...seen.values()];
}

/** Whether somebody chose another agent than Claude Code. */
export function isAnotherSetUp(project: Project): boolean {
  return seeParts(project, "hooks").some(
    ({ part, found }) => part.owner !== defaultAgentName && found.state !== "absent",
  );
}

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
  if (problem !== null) return problem;
  const short = findExecutable("pm", env);
  if (short === null || isOurs(short)) return ok(`pommel is ${file}`);
  return ok(
    `pommel is ${file}; \`pm\` is another program (${describeExecutable(short)}), so type \`pommel\` instead`,
  );
}

/** The `pommel` that a shell would run; `problem` says what is wrong with it. */
export function findPommelOnPath(env: NodeJS.ProcessEnv = process.env): {
  file: string | null;
  problem: CheckResult | null;
} {
  const file = findExecutable("pommel", env);
  const hint = "Put Pommel's `pommel` on your PATH; docs/getting-started.md has how to install it.";
  if (file === null)
    return { file, problem: warn("`pommel` is not on the PATH, so hooks do nothing.", hint) };
  if (isOurs(file)) return { file, problem: null };
  const message = `The \`pommel\` on the PATH is another program (${describeExecutable(file)}), so hooks do nothing.`;
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
function describeExecutable(file: string): string {
  const inPackage = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
  const [, owner] = inPackage.exec(realpathSync(file)) ?? [];
  return owner === undefined ? file : `${file}, of the npm package ${owner}`;
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
