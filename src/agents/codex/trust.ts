import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isTable, parseToml } from "../../project/config.ts";
import { PommelError } from "../../project/errors.ts";
import { placesOfHooks } from "../setup/hook-entries.ts";
import { readFileText } from "../setup/text-file.ts";
import type { Place } from "../setup.ts";
import { codexHome, codexHooks, hooksFile } from "./hook-spec.ts";

/**
 * What keeps Codex from running our hooks. It remembers a hash for each hook that was trusted, by the file, the event
 * and the place (`[hooks.state."<file>:session_start:0:0"]`); whether the hash is still right, only Codex knows.
 */
export function distrust(place: Place): string | null {
  const file = hooksFile(place);
  try {
    const config = configOf(place.env);
    const { projects, hooks } = config;
    if (place.scope === "project" && !isTrusted(projects, place.dir)) {
      return "Codex does not trust this project yet, and skips its hooks without a word: start `codex` here and let it.";
    }
    const places = placesOfHooks(codexHooks, readFileText(file)?.body ?? "", file);
    const state = isTable(hooks) && isTable(hooks.state) ? hooks.state : {};
    const untrusted = places.filter(({ event, group, handler }) => {
      const known = state[`${file}:${snakeCase(event)}:${group}:${handler}`];
      return !isTable(known) || typeof known.trusted_hash !== "string" || known.enabled === false;
    });
    if (untrusted.length === 0) return null;
    const events = untrusted.map(({ event }) => event).join(", ");
    return `Codex skips hooks that nobody trusted, without a word: start \`codex\` and trust Pommel's with /hooks (${events}).`;
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    return error.message;
  }
}

function configOf(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const file = join(codexHome(env), "config.toml");
  const text = readFileText(file);
  return text === null ? {} : parseToml(text.body, file);
}

function isTrusted(projects: unknown, dir: string): boolean {
  if (!isTable(projects)) return false;
  return [dir, realpathSync(dir)].some((path) => {
    const project = projects[path];
    return isTable(project) && project.trust_level === "trusted";
  });
}

/** "SessionStart" as "session_start". */
function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, (capital) => `_${capital}`).toLowerCase();
}
