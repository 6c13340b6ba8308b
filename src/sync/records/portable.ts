import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Entry } from "../../agents/agent.ts";
import type { ScrubText } from "../../redact/scrub-value.ts";
import { cleanLines } from "../../sessions/scrub/redact-stored.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";

/** What is stored of a machine, told so that it means the same on another. */

/** Gives a text in which `~` stands for the home directory, as in a shell. */
export function withoutHome(home: string = homedir()): (text: string) => string {
  // "/" is no name to look for.
  if (home.length < 2) return (text) => text;
  const escaped = home.replace(/[/\\]+$/, "").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\w.~/\\\\-])${escaped}(?![\\w.-])`, "g");
  return (text) => (text.includes(home) ? text.replace(pattern, "~") : text);
}

/** Lines with paths of files relative to the project's root, and texts as `clean` gives them. */
export function portableLines(
  lines: readonly StoredLine[],
  relativize: (path: string) => string,
  clean: ScrubText,
): StoredLine[] {
  return cleanLines(withPaths(lines, relativize), clean);
}

/** Lines as a session that ran on this machine stores them: paths of files are absolute. */
export function localLines(lines: readonly StoredLine[], root: string): StoredLine[] {
  return withPaths(lines, (path) => (isAbsolute(path) || path.startsWith("~") ? path : join(root, path)));
}

function withPaths(lines: readonly StoredLine[], pathOf: (path: string) => string): StoredLine[] {
  const moved = <T extends { path: string }>(items: T[]) =>
    items.map((item) => ({ ...item, path: pathOf(item.path) }));
  const entryOf = (entry: Entry): Entry => {
    if (entry.kind === "tool_use" && entry.files.length > 0) return { ...entry, files: moved(entry.files) };
    if (entry.kind === "tool_result" && entry.edits) return { ...entry, edits: moved(entry.edits) };
    return entry;
  };
  return lines.map((line) => ({ ...line, entries: line.entries.map(entryOf) }));
}
