import type { FileEdit, FileTouch } from "../agent.ts";
import { bounds, boundText } from "../reading/bounds.ts";
import { makeHunk, makeHunksEdit, makeWholeFileEdit, parseUnifiedDiff, signLines } from "../reading/edits.ts";
import { toAbsolutePath } from "../reading/tool-calls.ts";
import { asChange, type CodexChange } from "./line-schema.ts";
import { patchHeader, patchMove } from "./patch-files.ts";

/** A patch's change of one file. */
export interface FilePatch {
  path: string;
  how: "add" | "update" | "delete";
  /** The new path; null if the file is not moved. */
  moveTo: string | null;
  edit: FileEdit;
}

/**
 * The files of an `apply_patch` envelope, the agent's own format without line numbers:
 * https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md. Skips invalid lines;
 * a text without an envelope has no files.
 */
export function parsePatch(text: string, cwd: string | null): FilePatch[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const begin = lines.findIndex((line) => line.trimEnd() === "*** Begin Patch");
  if (begin === -1) return [];
  const files: FilePatch[] = [];
  let file: FilePatch | null = null;
  let hunk: string[] | null = null;
  const endHunk = () => {
    if (file && hunk && hunk.length > 0) file.edit.hunks.push(makeHunk(hunk));
    hunk = null;
  };
  for (const line of lines.slice(begin + 1)) {
    if (line.trimEnd() === "*** End Patch") break;
    const found = patchHeader.exec(line.trimEnd());
    if (found) {
      endHunk();
      file = beginFile(found[1]!, found[2]!.trim(), cwd);
      files.push(file);
      continue;
    }
    if (!file) continue;
    const moved = patchMove.exec(line.trimEnd());
    if (moved) {
      file.moveTo = toAbsolutePath(moved[1]!.trim(), cwd);
      file.edit.path = file.moveTo;
    } else if (line.startsWith("@@")) endHunk();
    else if (line.startsWith("*** End of File")) endHunk();
    else if (file.how === "add") {
      if (line.startsWith("+")) file.edit.content = `${file.edit.content ?? ""}${line.slice(1)}\n`;
    } else if (file.how === "update") {
      // Empty context lines often lack their leading space.
      if (!/^(?:[ +-]|$)/.test(line)) continue;
      hunk ??= [];
      hunk.push(line === "" ? " " : line);
    }
  }
  endHunk();
  for (const { edit } of files) {
    if (edit.content !== null) edit.content = boundText(edit.content, bounds.input);
  }
  return files;
}

function beginFile(verb: string, written: string, cwd: string | null): FilePatch {
  const path = toAbsolutePath(written, cwd);
  const how = verb === "Add" ? "add" : verb === "Delete" ? "delete" : "update";
  return { path, how, moveTo: null, edit: { path, hunks: [], content: how === "add" ? "" : null } };
}

/** What a tool that takes a patch wrote: nothing of deleted files. */
export const parsePatchEdits = (patch: unknown, cwd: string | null): FileEdit[] =>
  typeof patch === "string"
    ? parsePatch(patch, cwd).flatMap(({ edit, how }) => (how === "delete" ? [] : edit))
    : [];

/** The files of an applied `FileChange`. */
export function parseChanges(changes: Readonly<Record<string, unknown>>, cwd: string | null): FilePatch[] {
  return Object.entries(changes).flatMap(([written, value]) => {
    const change = asChange(value);
    if (change === null || written === "" || written.length > 4096) return [];
    return parseChange(toAbsolutePath(written, cwd), change, cwd) ?? [];
  });
}

function parseChange(path: string, change: CodexChange, cwd: string | null): FilePatch | null {
  const content = change.content ?? "";
  if (change.type === "add")
    return { path, how: "add", moveTo: null, edit: makeWholeFileEdit(path, content) };
  if (change.type === "delete") {
    const lines = signLines("-", content);
    const hunks = lines.length === 0 ? [] : [makeHunk(lines, 1)];
    return { path, how: "delete", moveTo: null, edit: makeHunksEdit(path, hunks) };
  }
  if (change.type !== "update") return null;
  const moveTo = change.move_path ? toAbsolutePath(change.move_path, cwd) : null;
  const edit = makeHunksEdit(moveTo ?? path, parseUnifiedDiff(change.unified_diff ?? ""));
  return { path, how: "update", moveTo, edit };
}

/** The touched files; a moved file has both paths. */
export function listTouches(files: readonly FilePatch[]): FileTouch[] {
  return files.flatMap(({ path, how, moveTo }): FileTouch[] => [
    { path, how: how === "add" ? "write" : "edit" },
    ...(moveTo === null ? [] : [{ path: moveTo, how: "write" as const }]),
  ]);
}
