import { statSync } from "node:fs";
import { join } from "node:path";
import { parseToml } from "../../project/config/config.ts";
import { PommelError } from "../../project/errors.ts";
import { readFileText } from "../../project/files/text-file.ts";
import type { Place } from "../setup.ts";
import { codexHome, directoryOf } from "./hook-spec.ts";

/**
 * The files that Codex may read in a place, the one that it does read first: of those that exist, even if they are empty,
 * it takes one, in this order. So `AGENTS.md` is made only where it hides no other.
 */
export function instructionFiles(place: Place): string[] {
  const dir = place.scope === "user" ? codexHome(place.env) : place.dir;
  const more = place.scope === "user" ? [] : fallbackNames(place);
  const all = ["AGENTS.override.md", "AGENTS.md", ...more].map((name) => join(dir, name));
  const read = all.find(isFile) ?? join(dir, "AGENTS.md");
  return [read, ...all.filter((file) => file !== read)];
}

/** `project_doc_fallback_filenames`, the project's before the user's. */
function fallbackNames(place: Place): string[] {
  for (const dir of [directoryOf(place), codexHome(place.env)]) {
    const names = namesIn(join(dir, "config.toml"));
    if (names !== null) return names;
  }
  return [];
}

function namesIn(file: string): string[] | null {
  try {
    const text = readFileText(file);
    const names = text === null ? null : parseToml(text.body, file).project_doc_fallback_filenames;
    if (!Array.isArray(names)) return null;
    return names.filter((name) => typeof name === "string").filter((name) => /^(?!\.+$)[^/\\]+$/.test(name));
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    // Codex itself does not start with it, and the parts that need it say so.
    return null;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
