import type { Node } from "jsonc-parser";
import type { PommelError } from "../../project/errors.ts";
import { refusal } from "../../project/files/refusal.ts";
import type { Addition } from "../setup.ts";
import { applyEdit, inverseOf, parseJson, problemAt, type TextEdit } from "./json-edit.ts";

/** What a JSON text stands in. */
export interface JsonFile {
  /** For errors. */
  name: string;
  /** Whether the agent takes JSON with comments there. */
  comments: boolean;
}

/**
 * The object that a JSON text is.
 * @throws PommelError `settings_invalid`
 */
export function objectIn(text: string, { name, comments }: JsonFile): Node {
  const parsed = parseJson(text, comments);
  if ("problem" in parsed) {
    const { line, column, what } = parsed.problem;
    throw refusal(`${name}:${line}:${column}`, `is not valid JSON (${what})`);
  }
  if (parsed.root.type !== "object") throw refuse(name, text, parsed.root.offset, "it is not a JSON object");
  return parsed.root;
}

/** That what stands at `offset` leaves no room for ours. */
export function refuse(name: string, text: string, offset: number, what: string): PommelError {
  const { line, column } = problemAt(text, offset, what);
  return refusal(`${name}:${line}:${column}`, `cannot hold Pommel's entries: ${what}`);
}

/** An empty file says as much as an empty object. */
export function isBlankObject(text: string): boolean {
  return /^\s*(?:\{\s*\})?\s*$/.test(text);
}

/** Edits a file's text step by step, from nothing to an empty object first, and keeps how to take it back. */
export function additionTo(text: string): { addition: Addition; apply: (edit: TextEdit) => void } {
  const addition: Addition = { text, added: [], empty: [], undo: [] };
  const apply = (edit: TextEdit) => {
    addition.undo.unshift(inverseOf(addition.text, edit));
    addition.text = applyEdit(addition.text, edit);
  };
  if (text.trim() === "") apply({ offset: 0, remove: text.length, put: "{}\n" });
  return { addition, apply };
}
