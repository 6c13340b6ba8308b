import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { isTable, parseToml } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { readFileText } from "../../base/files/text-file.ts";
import { findMainWorktree, findUpwards } from "../../base/paths.ts";
import { findHookPositions, makeHookSpec } from "../setup/hook-entries.ts";
import type { SetupTarget } from "../setup.ts";
import { codexProfile } from "./profile.ts";

/** Codex warns at each start of more than 3 for SessionEnd. */
const timeoutSeconds = 10;
const timeoutAtEndSeconds = 3;

/**
 * Codex binds trust to each hook's command, timeout and position: any change makes every user trust the hooks again.
 */
export const codexHooks = makeHookSpec(codexProfile, {
  matchers: { "post-tool-use": "apply_patch" },
  timeout: timeoutSeconds,
  timeouts: { "session-end": timeoutAtEndSeconds },
});

/** Codex's user directory. */
export function locateCodexHome(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
}

export function locateCodexDir({ scope, dir, env }: SetupTarget): string {
  return scope === "user" ? locateCodexHome(env) : join(dir, ".codex");
}

export function locateHooksFile(place: SetupTarget): string {
  return join(locateCodexDir(place), "hooks.json");
}

/**
 * Why Codex does not run Pommel's hooks, checked in its own order. It stores a hash for each trusted hook, by file,
 * event and position (`[hooks.state."<file>:session_start:0:0"]`).
 */
export function explainDistrust(place: SetupTarget): string | null {
  try {
    const config = readConfig(place.env);
    const { projects, hooks, features } = config;
    if (isTable(features) && features.hooks === false) {
      return "Codex hooks are off: `hooks` is false under [features] in its config.toml.";
    }
    if (place.scope === "project" && !isTrusted(projects, place.dir)) {
      return "Codex does not trust this project yet and silently skips its hooks: start `codex` here and trust it.";
    }
    const read = findEffectivePlace(place);
    const file = locateHooksFile(read);
    const text = readFileText(file)?.body ?? "";
    const places = findHookPositions(codexHooks, text, file);
    if (places.length === 0 && read !== place) {
      return `Codex uses the main worktree's hooks, and Pommel's are missing there: run \`pm init --agent codex\` in ${read.dir}.`;
    }
    const state = isTable(hooks) && isTable(hooks.state) ? hooks.state : {};
    const judged = places.map((at) => ({ event: at.event, trust: checkTrust(state, file, text, at) }));
    const inDoubt = (trust: string) => judged.filter((one) => one.trust === trust).map(({ event }) => event);
    const untrusted = inDoubt("untrusted");
    if (untrusted.length > 0) {
      return `Codex silently skips untrusted hooks: start \`codex\` and trust Pommel's with /hooks (${untrusted.join(", ")}).`;
    }
    const changed = inDoubt("changed");
    if (changed.length === 0) return null;
    return `Codex silently skips hooks that changed since they were trusted: start \`codex\` and trust Pommel's again with /hooks (${changed.join(", ")}).`;
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    return error.message;
  }
}

function readConfig(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const file = join(locateCodexHome(env), "config.toml");
  const text = readFileText(file);
  return text === null ? {} : parseToml(text.body, file);
}

/** Trust of the project, its repository, or its main worktree; the nearest entry wins. */
function isTrusted(projects: unknown, dir: string): boolean {
  if (!isTable(projects)) return false;
  const { top, main } = findRepository(dir);
  const projectEntry = [dir, realpathSync(dir), top, main]
    .map((path) => (path === null ? undefined : projects[path]))
    .find((project) => isTable(project) && typeof project.trust_level === "string");
  return isTable(projectEntry) && projectEntry.trust_level === "trusted";
}

/** The place whose hooks Codex runs: in a linked worktree, the main one's. */
export function findEffectivePlace(place: SetupTarget): SetupTarget {
  if (place.scope === "user") return place;
  const { top, main } = findRepository(place.dir);
  return top === null || main === null ? place : { ...place, dir: join(main, relative(top, place.dir)) };
}

function findRepository(dir: string): { top: string | null; main: string | null } {
  const top = findUpwards(dir, ".git");
  return { top, main: top === null ? null : findMainWorktree(top) };
}

type HookPlace = ReturnType<typeof findHookPositions>[number];

function checkTrust(
  state: Record<string, unknown>,
  file: string,
  text: string,
  { event, group, handler }: HookPlace,
): "trusted" | "untrusted" | "changed" {
  const known = state[`${file}:${toSnakeCase(event)}:${group}:${handler}`];
  if (!isTable(known) || typeof known.trusted_hash !== "string" || known.enabled === false)
    return "untrusted";
  const hash = hashHook(event, (JSON.parse(text) as HooksFile).hooks[event]![group]!, handler);
  return hash === null || hash === known.trusted_hash ? "trusted" : "changed";
}

interface HooksFile {
  hooks: Record<string, { matcher?: unknown; hooks: Record<string, unknown>[] }[]>;
}

/**
 * Codex's hash of a hook (as in its app server's `hooks/list`): event, matcher, command and timeout as JSON with sorted
 * keys. null for a hook with other fields.
 */
function hashHook(event: string, group: HooksFile["hooks"][string][number], handler: number): string | null {
  const { type, command, timeout, ...more } = group.hooks[handler]!;
  const { matcher } = group;
  const isOurs = matcher === undefined || (typeof matcher === "string" && event === "PostToolUse");
  if (!isOurs || typeof timeout !== "number" || Object.keys(more).length > 0) return null;
  const identity = {
    event_name: toSnakeCase(event),
    hooks: [{ async: false, command, timeout, type }],
    ...(matcher !== undefined && { matcher }),
  };
  return `sha256:${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`;
}

/** "SessionStart" as "session_start". */
function toSnakeCase(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, (capital) => `_${capital}`).toLowerCase();
}
