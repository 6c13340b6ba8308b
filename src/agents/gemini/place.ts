import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { known } from "../reading/fields.ts";
import { parseJsonLine } from "../reading/json-lines.ts";
import type { Head } from "./head.ts";

/** `tmp/<place>/chats/<session>/<agent>.jsonl`, and `projects.json` beside `tmp`. */
const maxLevels = 5;
/** Of the paths that a chat begins with, so many are tried. */
const maxPaths = 500;

/**
 * Where the client was launched. No record says it, but the client keeps it beside the chats; where it does not (up
 * to 0.20), or the chats were copied without it, every path that may be it is held against the hash of it that the
 * chat has: those that clients were launched in, where this runs, and those that the chat speaks of.
 * @returns null where nobody knows
 */
export async function placeOf(file: string, { metadata, text }: Head): Promise<string | null> {
  const above = ancestors(dirname(file)).slice(0, maxLevels);
  for (const dir of above) {
    const root = (await contentOf(join(dir, ".project_root")))?.trim();
    if (root) return root;
  }
  const hash = known(metadata.projectHash);
  const directories = Array.isArray(metadata.directories) ? metadata.directories.filter(isPath) : [];
  for (const dir of above) {
    const projects = await projectsIn(join(dir, "projects.json"));
    const found = projects.find(([path, slug]) =>
      hash === null ? isNamed(slug, above) : hashOf(path) === hash,
    );
    if (found) return found[0];
  }
  const others = hash === null ? [] : [...directories, process.cwd(), ...pathsIn(text)];
  return others.flatMap(ancestors).find((path) => hashOf(path) === hash) ?? directories[0] ?? null;
}

const isNamed = (slug: unknown, above: readonly string[]) => above.some((dir) => basename(dir) === slug);
const isPath = (value: unknown): value is string => typeof value === "string" && value !== "";
const hashOf = (path: string) => createHash("sha256").update(path).digest("hex");

/** A directory and those above it. */
function ancestors(path: string): string[] {
  const all = [path];
  for (let dir = dirname(path); dir !== all.at(-1); dir = dirname(dir)) all.push(dir);
  return all;
}

/** Absolute paths in a text of JSON, each once. */
function pathsIn(text: string): string[] {
  const found = new Set<string>();
  for (const [path] of text.matchAll(/\/[^\s"'`\\<>:,;()*?]{2,1000}/g)) {
    found.add(path);
    if (found.size >= maxPaths) break;
  }
  return [...found];
}

/** Directories that clients were launched in, with the names that they have under `tmp`. */
async function projectsIn(file: string): Promise<[string, unknown][]> {
  const content = await contentOf(file);
  const projects = content === null ? null : parseJsonLine(Buffer.from(content))?.projects;
  return typeof projects === "object" && projects !== null ? Object.entries(projects) : [];
}

async function contentOf(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}
