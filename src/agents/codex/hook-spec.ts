import { homedir } from "node:os";
import { join } from "node:path";
import { type HookSpec, hooksFor } from "../setup/hook-entries.ts";
import type { Place } from "../setup.ts";
import { codexProfile } from "./profile.ts";

/** Seconds. Codex warns at each start of more than 3 for SessionEnd. */
const timeout = 10;
const timeoutAtEnd = 3;

/**
 * Codex binds trust to each hook's command, timeout and position: any change makes every user trust the hooks again.
 */
export const codexHooks: HookSpec = {
  agent: codexProfile.name,
  trustsCommands: true,
  hooks: hooksFor(codexProfile.hooks, (hook) => ({
    ...(hook === "post-tool-use" && { matcher: "apply_patch" }),
    timeout: hook === "session-end" ? timeoutAtEnd : timeout,
  })),
};

/** Codex's user directory. */
export function codexHome(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
}

export function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" ? codexHome(env) : join(dir, ".codex");
}

export function hooksFile(place: Place): string {
  return join(directoryOf(place), "hooks.json");
}
