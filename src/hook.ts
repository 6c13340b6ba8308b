import { runHook } from "./faces/hooks/run-hook.ts";

/**
 * `pm hook`, as agents run it. They wait for it at every step: it is a program in one file, which holds nothing that their hooks do not
 * need (tsdown.config.ts). Git's hooks, options and help are for pm.ts.
 */
const rest = process.argv.slice(3);
const [name, agent] = rest.length === 1 ? rest : rest[0] === "--agent" ? [rest[2], rest[1]] : [];
const isForAgent =
  name !== undefined && rest.length <= 3 && !name.startsWith("git-") && ![name, agent].some(isOption);

if (isForAgent) void runHook(name, agent).then(() => process.exit(0));
else void import("./pm.ts");

function isOption(word: string | undefined): boolean {
  return word?.startsWith("-") === true;
}
