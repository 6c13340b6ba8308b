import type { Entry, FileEdit } from "../../../agents/agent.ts";
import { beginningOf, joinWithin } from "../../../base/text/text-size.ts";
import { questionsIn } from "../../questions.ts";

/**
 * The text of a tool use, by the shape of its input: agents name their tools differently, but a command is a `command`
 * everywhere.
 */

type ToolUse = Extract<Entry, { kind: "tool_use" }>;

/** Characters: of a command, of names in changed lines, of a subagent's task, of any other input. */
const longest = { command: 1_000, changed: 1_500, task: 800, other: 300, headline: 300 } as const;

export interface ToolSays {
  /** After `[TOOL_USE] `: "Edit src/x.ts", "Bash npm test". */
  headline: string;
  /** The text that finds it: tool, paths, commands, patterns, names. */
  actions: string;
  /** Prose that the agent wrote into the input: a plan, a question with its options. */
  prose: string;
  /** Relative paths, in order, each once. */
  files: string[];
  /** The command it ran, where it ran one. */
  command: string | null;
  /** Asks the human something; the result is the answer. */
  asks: boolean;
  /** Delegates work to a subagent; the result is its answer. */
  delegates: boolean;
  reads: boolean;
  edits: boolean;
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** A field's text; of a list of texts (a command in words) these with blanks between. */
function field(input: Record<string, unknown>, ...names: string[]): string {
  for (const name of names) {
    const value = input[name];
    if (isText(value)) return value;
    if (Array.isArray(value) && value.length > 0 && value.every(isText)) return value.join(" ");
  }
  return "";
}

const oneLine = (text: string, most: number): string =>
  beginningOf(
    text
      .slice(0, most * 4)
      .replace(/\s+/g, " ")
      .trim(),
    most,
  );

/** Objects of a list in the input; empty without a list. */
function items(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null);
}

/** "Which cache? (Redis: shared / memory: simple)" for each question that is asked. */
function questionsAsked(input: Record<string, unknown>): string {
  return questionsIn(input)
    .map(({ text, options }) => {
      const named = options.map(({ label, description }) => [label, description].filter(isText).join(": "));
      return named.length === 0 ? text : `${text} (${named.join(" / ")})`;
    })
    .join("\n");
}

/** Lines that an edit removes and adds, marked as in a diff; without unchanged lines. */
export function changedLines(edits: readonly FileEdit[] | null, input: Record<string, unknown>): string[] {
  if (edits !== null && edits.length > 0) {
    return edits.flatMap(({ hunks, content }) => {
      const changed = hunks.flatMap(({ lines }) => lines.filter((line) => /^[+-]/.test(line)));
      return changed.length > 0 || content === null ? changed : added(content);
    });
  }
  const content = field(input, "content", "file_text", "new_source");
  const pairs = [input, ...items(input.edits)].flatMap((edit) => replaced(edit));
  return pairs.length > 0 ? pairs : added(content);
}

const added = (content: string): string[] =>
  content === "" ? [] : content.split("\n", 400).map((line) => `+${line}`);

function replaced(edit: Record<string, unknown>): string[] {
  const before = field(edit, "old_string", "old_str").split("\n");
  const after = field(edit, "new_string", "new_str").split("\n");
  const stays = new Set(before.filter((line) => after.includes(line)));
  return [
    ...before.filter((line) => !stays.has(line)).map((line) => `-${line}`),
    ...after.filter((line) => !stays.has(line)).map((line) => `+${line}`),
  ];
}

/** Text of the inputs that have no meaning of their own here, as of the tools of MCP servers. */
function otherInputs(input: Record<string, unknown>, shownKeys: ReadonlySet<string>): string {
  const texts = Object.entries(input)
    .filter(([name, value]) => !shownKeys.has(name) && isText(value))
    .map(([, value]) => oneLine(String(value), longest.other));
  return joinWithin(texts, longest.task);
}

const fileFields = [
  "file_path",
  "path",
  "notebook_path",
  "absolute_path",
  "old_string",
  "new_string",
  "old_str",
  "new_str",
  "content",
  "file_text",
  "new_source",
  "output_mode",
];

export function sayUse(
  use: ToolUse,
  edits: readonly FileEdit[] | null,
  relativize: (path: string) => string,
): ToolSays {
  const { tool, input } = use;
  const files = [...new Set(use.files.map(({ path }) => relativize(path)))];
  const command = field(input, "command", "cmd", "script");
  const pattern = field(input, "pattern", "query", "regex", "url", "glob");
  const folder = use.files.length === 0 ? field(input, "path", "dir_path") : "";
  const plan = field(input, "plan");
  const questions = questionsAsked(input);
  const task = isText(input.prompt) && isText(input.description) ? input.prompt : "";
  const todos = items(input.todos).map((todo) => field(todo, "content", "description", "subject"));
  const subject = field(input, "description", "subject", "title", "name", "skill", "explanation");
  const changes = use.files.some(({ how }) => how !== "read");

  const shown =
    command !== ""
      ? `${oneLine(command, 240)}${subject === "" ? "" : ` # ${subject}`}`
      : [files.join(" "), pattern, folder === "" ? "" : `in ${relativize(folder)}`, subject, todos.join("; ")]
          .filter(isText)
          .join(" ");
  const shownKeys = new Set([
    "command",
    "cmd",
    "script",
    "pattern",
    "query",
    "regex",
    "url",
    "glob",
    "plan",
    "prompt",
  ]);
  for (const name of ["description", "subject", "title", "name", "skill", "explanation"]) shownKeys.add(name);
  for (const name of fileFields) shownKeys.add(name);

  return {
    headline: `${tool} ${oneLine(shown, longest.headline)}`.trim(),
    actions: [
      tool,
      files.join("\n"),
      beginningOf(command, longest.command),
      oneLine(pattern, longest.other),
      folder === "" ? "" : relativize(folder),
      oneLine(subject, longest.other),
      joinWithin(todos, longest.task),
      beginningOf(task, longest.task),
      changes ? joinWithin(changedLines(edits, input), longest.changed) : otherInputs(input, shownKeys),
    ]
      .filter(isText)
      .join("\n"),
    prose: [plan, questions].filter(isText).join("\n\n"),
    files,
    command: command === "" ? null : command,
    asks: questions !== "",
    delegates: task !== "",
    reads: use.files.some(({ how }) => how === "read") || pattern !== "",
    edits: changes,
  };
}
