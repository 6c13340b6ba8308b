import { isAbsolute, relative, resolve, sep } from "node:path";
import { toRealPath } from "../../base/paths.ts";

/** What the input of an agent's tool says that it does, in the fields that agents' tools share. Hooks load this: it imports next to nothing. */

export type CallInput = Readonly<Record<string, unknown>>;

const pickText = (input: CallInput, names: readonly string[]): string | null => {
  const value = names.map((name) => input[name]).find((one) => typeof one === "string");
  return typeof value === "string" ? value : null;
};

/** The file that a call changes or reads; null: none that it names. */
export const findNamedFile = (input: CallInput): string | null =>
  pickText(input, ["file_path", "filePath", "notebook_path", "path"]);

/** One replacement of a call; null for what it does not say. */
interface EditInput {
  from: string | null;
  to: string | null;
  /** Of a cell of a notebook, and of a whole file. */
  source: string | null;
  content: string | null;
  isEverywhere: boolean;
}

/** What a call puts in place of what, in its order. */
export function listEditInputs(input: CallInput): EditInput[] {
  const edits: unknown[] = Array.isArray(input.edits) ? input.edits : [input];
  return edits.map((edit) => {
    const given = (typeof edit === "object" && edit !== null ? edit : {}) as CallInput;
    return {
      from: pickText(given, ["old_string", "oldString", "old_str"]),
      to: pickText(given, ["new_string", "newString", "new_str"]),
      source: pickText(given, ["new_source"]),
      content: pickText(given, ["content"]),
      isEverywhere: given.replace_all === true || given.replaceAll === true,
    };
  });
}

/** The lines that a call replaces, and those that it writes. */
export function readEditedLines(input: CallInput): { before: string[]; written: string[] } {
  const edits = listEditInputs(input);
  return {
    before: edits.flatMap(({ from }) => from?.split("\n") ?? []),
    written: edits.flatMap(({ to, source, content }) => (to ?? source ?? content)?.split("\n") ?? []),
  };
}

/** A path as an agent wrote it, from a root and with slashes; "" for the root itself; null: it is outside. */
export function toRootRelative(root: string, path: string, cwd: string): string | null {
  const inside = relative(root, toRealPath(resolve(cwd, path)));
  return isAbsolute(inside) || inside.startsWith("..") ? null : inside.split(sep).join("/");
}
