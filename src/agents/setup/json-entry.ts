import { getNodeValue, type Node } from "jsonc-parser";
import type { PommelError } from "../../base/errors.ts";
import { makeInvalidSettingsError } from "../../base/files/text-file.ts";
import { type Addition, type AgentPartSpec, type FindFiles, makePart, type PartEditor } from "../setup.ts";
import {
  addItem,
  addProperty,
  applyEdit,
  findProperty,
  findValue,
  invertEdit,
  locateProblem,
  parseJson,
  removeChild,
  type TextEdit,
} from "./json-edit.ts";

/** `pommel mcp`, or `pm mcp` of an older Pommel, possibly with a path: Pommel's server, whatever else its entry has. */
const ourProgram = /^(?:.*[\\/])?(?:pm|pommel)(?:\.cjs|\.cmd|\.exe)?$/;

/** Whether an MCP server's entry runs Pommel. */
export function isOurServer(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { command, args } = entry as { command?: unknown; args?: unknown };
  // Some agents take both as one list.
  return [command, args]
    .flat()
    .some((word, at, words) => ourProgram.test(String(word)) && words[at + 1] === "mcp");
}

/** Pommel's server, as most agents are told of it. */
export const ourServer = { command: "pommel", args: ["mcp"] };

/** Pommel's server in files that have the usual form. */
export const makeServerPart = (files: FindFiles, options: McpEntryOptions = {}): AgentPartSpec =>
  makePart("mcp", files, makeServerEditor(ourServer, options));

interface McpEntryOptions {
  /** Whether the agent accepts comments there. */
  comments?: boolean;
  /** The agent's name of the servers. */
  key?: string;
  /** The path of these in the file. */
  within?: readonly string[];
}

/**
 * The MCP server `pommel` in an agent's JSON.
 * @param value its entry
 */
export function makeServerEditor(
  value: Record<string, unknown>,
  { comments = false, key = "mcpServers", within = [] }: McpEntryOptions = {},
): PartEditor {
  const path = [...within, key];
  const find = (text: string, name: string) => {
    const servers = findContainer(text, { name, comments }, path, "object");
    return servers && findProperty(servers, "pommel") && { servers, entry: findValue(servers, "pommel")! };
  };
  return {
    look(text, name) {
      const found = find(text, name);
      if (!found) return { state: "absent", detail: [] };
      if (isOurServer(getNodeValue(found.entry))) return { state: "current", detail: [] };
      return { state: "kept", detail: ['another server is called "pommel"'] };
    },
    add(text, name) {
      const adding = startAddition(text);
      addUnder(adding, { name, comments }, path, { pommel: value });
      return adding.addition;
    },
    remove(text, name, empty) {
      const found = find(text, name);
      if (!found) return text;
      const at = found.servers.children!.indexOf(findProperty(found.servers, "pommel")!);
      return removeUnder(text, { name, comments }, path, { at, empty });
    },
    isBlank: isBlankObject,
  };
}

/** A string in the list at `path` in an agent's JSON. */
export function listEntry(path: readonly [string, ...string[]], item: string): PartEditor {
  const find = (text: string, name: string) =>
    findContainer(text, { name, comments: false }, path, "array")?.children?.findIndex(
      (child) => child.value === item,
    ) ?? -1;
  return {
    look: (text, name) => ({ state: find(text, name) === -1 ? "absent" : "current", detail: [] }),
    add(text, name) {
      const adding = startAddition(text);
      addUnder(adding, { name, comments: false }, path, [item]);
      return adding.addition;
    },
    remove(text, name, empty) {
      let rest = text;
      for (let at = find(rest, name); at !== -1; at = find(rest, name)) {
        rest = removeUnder(rest, { name, comments: false }, path, { at, empty });
      }
      return rest;
    },
    isBlank: isBlankObject,
  };
}

type Container = "object" | "array";

/** The existing containers along `path`, checked for their type. */
function findContainer(
  text: string,
  file: JsonFile,
  path: readonly string[],
  type: Container,
): Node | undefined {
  if (text.trim() === "") return undefined;
  let node: Node | undefined = parseRootObject(text, file);
  for (const [depth, key] of path.entries()) {
    node = findValue(node, key);
    if (!node) return undefined;
    const wanted = depth === path.length - 1 ? type : "object";
    if (node.type !== wanted) {
      const where = path.slice(0, depth + 1).join(".");
      throw refuse(file.name, text, node.offset, `"${where}" is not an ${wanted}`);
    }
  }
  return node;
}

/** Adds an item or a property to the container at `path`, and creates what is missing on the way. */
export function addUnder(
  { addition, apply }: Adding,
  file: JsonFile,
  path: readonly string[],
  entry: readonly [unknown] | Readonly<Record<string, unknown>>,
): void {
  const type = Array.isArray(entry) ? "array" : "object";
  // Throws on a wrong type before anything is changed.
  findContainer(addition.text, file, path, type);
  const open = (depth: number) =>
    findContainer(addition.text, file, path.slice(0, depth), depth === path.length ? type : "object");
  let depth = 0;
  for (; depth < path.length && open(depth + 1); depth++) {
    const here = path.slice(0, depth + 1).join(".");
    if (open(depth + 1)!.children!.length === 0) addition.empty.push(here);
  }
  const container = open(depth)!;
  const [missing, ...inner] = path.slice(depth);
  if (missing !== undefined) {
    const value = inner.reduceRight<unknown>((within, key) => ({ [key]: within }), entry);
    apply(addProperty(addition.text, container, missing, value));
  } else if (Array.isArray(entry)) {
    apply(addItem(addition.text, container, entry[0]));
  } else {
    for (const [key, value] of Object.entries(entry))
      apply(addProperty(addition.text, container, key, value));
  }
}

/** Removes the child at `at`, with containers that become empty and were not in `empty`. */
export function removeUnder(
  text: string,
  file: JsonFile,
  path: readonly string[],
  { at, empty }: { at: number; empty: readonly string[] },
): string {
  let index = at;
  for (let depth = path.length; ; depth--) {
    const here = path.slice(0, depth);
    const type =
      depth === path.length && text[findNode(text, file, here).offset] === "[" ? "array" : "object";
    const container = findContainer(text, file, here, type)!;
    const isAlone = container.children!.length === 1;
    if (!isAlone || depth === 0 || empty.includes(here.join("."))) {
      return applyEdit(text, removeChild(text, container, index));
    }
    const parent = findNode(text, file, path.slice(0, depth - 1));
    index = parent.children!.indexOf(findProperty(parent, path[depth - 1]!)!);
  }
}

function findNode(text: string, file: JsonFile, path: readonly string[]): Node {
  return path.reduce((node, key) => findValue(node, key)!, parseRootObject(text, file));
}

/** A JSON file's properties. */
export interface JsonFile {
  /** For errors. */
  name: string;
  /** Whether the agent accepts comments there. */
  comments: boolean;
}

/**
 * The root object of a JSON text.
 * @throws PommelError `settings_invalid`
 */
export function parseRootObject(text: string, { name, comments }: JsonFile): Node {
  const parsed = parseJson(text, comments);
  if ("problem" in parsed) {
    const { line, column, what } = parsed.problem;
    throw makeInvalidSettingsError(`${name}:${line}:${column}`, `is not valid JSON (${what})`);
  }
  if (parsed.root.type !== "object") throw refuse(name, text, parsed.root.offset, "it is not a JSON object");
  return parsed.root;
}

/** The error for an unexpected value at `offset`. */
export function refuse(name: string, text: string, offset: number, what: string): PommelError {
  const { line, column } = locateProblem(text, offset, what);
  return makeInvalidSettingsError(`${name}:${line}:${column}`, `cannot hold Pommel's entries: ${what}`);
}

/** Whether a text is empty or an empty object. */
export function isBlankObject(text: string): boolean {
  return /^\s*(?:\{\s*\})?\s*$/.test(text);
}

export interface Adding {
  addition: Addition;
  apply: (edit: TextEdit) => void;
}

/** Applies edits to a file's text, starting from an empty object if needed, and records how to undo them. */
export function startAddition(text: string): Adding {
  const addition: Addition = { text, added: [], empty: [], undo: [] };
  const apply = (edit: TextEdit) => {
    addition.undo.unshift(invertEdit(addition.text, edit));
    addition.text = applyEdit(addition.text, edit);
  };
  if (text.trim() === "") apply({ offset: 0, remove: text.length, put: "{}\n" });
  return { addition, apply };
}
