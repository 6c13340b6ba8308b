import { splitShellCommands, splitShellWords } from "../../base/text/shell-words.ts";

/** What an agent is about to search for. Hooks load this: it imports next to nothing. */
export interface SearchAsked {
  /** The pattern, or of a search for files their names. */
  pattern: string;
  /** Where it looks, as the agent wrote it; "" for everywhere. */
  path: string;
  /** Whether it looks for names of files, not for what is in them. */
  isForFiles: boolean;
}

/** Characters. */
const maxPatternChars = 300;

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The search that a call of a tool is; null: it is none. Agents have it in tools of these names, or in a shell. */
export function searchAskedBy(tool: string, input: Readonly<Record<string, unknown>>): SearchAsked | null {
  const name = tool.toLowerCase();
  const path = toText(input.path) || toText(input.dir_path) || toText(input.directory);
  const pattern = toText(input.pattern) || toText(input.query) || toText(input.regex);
  if (/^(?:grep|grep_search|search_file_content|grepsearch|ripgrep)$/.test(name) && pattern !== "")
    return { pattern: pattern.slice(0, maxPatternChars), path, isForFiles: false };
  if (/^(?:glob|find_files|file_search)$/.test(name) && pattern !== "")
    return { pattern: pattern.slice(0, maxPatternChars), path, isForFiles: true };
  const command = toText(input.command);
  return command === "" ? null : searchIn(command);
}

/** The file that a call of a tool reads; null: it reads none. */
export function fileReadBy(tool: string, input: Readonly<Record<string, unknown>>): string | null {
  if (!/^(?:read|read_file|view)$/i.test(tool)) return null;
  return toText(input.file_path) || toText(input.filePath) || toText(input.path) || null;
}

/** Options of grep and rg that take the next word. */
const withValue = /^(?:-[ABCmtTgf]|--(?:type|glob|include|exclude|exclude-dir|max-count|context|file))$/;

/** The first search in a command line; a grep that a pipe feeds filters what is known already. */
function searchIn(command: string): SearchAsked | null {
  for (const pipeline of splitShellCommands(command, "&;\n(){}")) {
    const [first = ""] = splitShellCommands(pipeline, "|");
    const words = splitShellWords(first);
    while (/^(?:\w+=\S*|sudo|time|command|env)$/.test(words[0] ?? "")) words.shift();
    const program = words.shift()?.replace(/^.*\//, "") ?? "";
    if (program === "git" && words[0] === "grep") return parseGrep(words.slice(1));
    if (/^(?:grep|egrep|fgrep|rg|ugrep|ag|ack)$/.test(program)) return parseGrep(words);
    if (/^(?:find|bfs|fd|fdfind)$/.test(program)) return parseFind(program, words);
  }
  return null;
}

function parseGrep(words: readonly string[]): SearchAsked | null {
  const plain: string[] = [];
  let pattern = "";
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "-e" || word === "--regexp") pattern ||= words[++i] ?? "";
    else if (withValue.test(word)) i++;
    else if (/^\d*>/.test(word)) continue;
    else if (!/^-./.test(word)) plain.push(word);
  }
  if (pattern === "") pattern = plain.shift() ?? "";
  return pattern === ""
    ? null
    : { pattern: pattern.slice(0, maxPatternChars), path: plain[0] ?? "", isForFiles: false };
}

function parseFind(program: string, words: readonly string[]): SearchAsked | null {
  const at = words.findIndex((word) => /^-i?(?:name|path|regex)$/.test(word));
  const pattern =
    at >= 0 ? words[at + 1] : program.startsWith("fd") ? words.find((word) => !word.startsWith("-")) : "";
  if (!pattern) return null;
  const path = program.startsWith("fd") ? "" : (words.find((word) => !word.startsWith("-")) ?? "");
  return { pattern: pattern.slice(0, maxPatternChars), path: path === pattern ? "" : path, isForFiles: true };
}
