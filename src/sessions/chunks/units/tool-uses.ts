import type { FileEdit, TranscriptEntry } from "../../../agents/agent.ts";
import { joinWithin, shortenFlat, shortenText } from "../../../base/text/text-size.ts";
import { parseQuestions } from "../../questions.ts";

/**
 * The text of a tool use, by the shape of its input: agents name their tools differently, but a command is a `command`
 * everywhere.
 */

type ToolUseEntry = Extract<TranscriptEntry, { kind: "tool_use" }>;

/** Characters: of a command, of names in changed lines, of a subagent's task, of any other input. */
const maxUseChars = { command: 1_000, changed: 1_500, task: 800, other: 300, headline: 300 } as const;

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
function readTextField(input: Record<string, unknown>, ...names: string[]): string {
  for (const name of names) {
    const value = input[name];
    if (isText(value)) return value;
    if (Array.isArray(value) && value.length > 0 && value.every(isText)) return value.join(" ");
  }
  return "";
}

/** Objects of a list in the input; empty without a list. */
function listObjects(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null);
}

/** "Which cache? (Redis: shared / memory: simple)" for each question that is asked. */
function formatQuestions(input: Record<string, unknown>): string {
  return parseQuestions(input)
    .map(({ text, options }) => {
      const named = options.map(({ label, description }) => [label, description].filter(isText).join(": "));
      return named.length === 0 ? text : `${text} (${named.join(" / ")})`;
    })
    .join("\n");
}

/** Lines that an edit removes and adds, marked as in a diff; without unchanged lines. */
export function listChangedLines(
  edits: readonly FileEdit[] | null,
  input: Record<string, unknown>,
): string[] {
  if (edits !== null && edits.length > 0) {
    return edits.flatMap(({ hunks, content }) => {
      const changed = hunks.flatMap(({ lines }) => lines.filter((line) => /^[+-]/.test(line)));
      return changed.length > 0 || content === null ? changed : markAddedLines(content);
    });
  }
  const content = readTextField(input, "content", "file_text", "new_source");
  const pairs = [input, ...listObjects(input.edits)].flatMap((edit) => diffReplacement(edit));
  return pairs.length > 0 ? pairs : markAddedLines(content);
}

const markAddedLines = (content: string): string[] =>
  content === "" ? [] : content.split("\n", 400).map((line) => `+${line}`);

function diffReplacement(edit: Record<string, unknown>): string[] {
  const before = readTextField(edit, "old_string", "old_str").split("\n");
  const after = readTextField(edit, "new_string", "new_str").split("\n");
  const stays = new Set(before.filter((line) => after.includes(line)));
  return [
    ...before.filter((line) => !stays.has(line)).map((line) => `-${line}`),
    ...after.filter((line) => !stays.has(line)).map((line) => `+${line}`),
  ];
}

/** Text of the inputs that have no meaning of their own here, as of the tools of MCP servers. */
function joinOtherInputs(input: Record<string, unknown>, shownKeys: ReadonlySet<string>): string {
  const texts = Object.entries(input)
    .filter(([name, value]) => !shownKeys.has(name) && isText(value))
    .map(([, value]) => shortenFlat(String(value), maxUseChars.other));
  return joinWithin(texts, maxUseChars.task);
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
  use: ToolUseEntry,
  edits: readonly FileEdit[] | null,
  relativize: (path: string) => string,
): ToolSays {
  const { tool, input } = use;
  const files = [...new Set(use.files.map(({ path }) => relativize(path)))];
  const command = readTextField(input, "command", "cmd", "script");
  const pattern = readTextField(input, "pattern", "query", "regex", "url", "glob");
  const folder = use.files.length === 0 ? readTextField(input, "path", "dir_path") : "";
  const plan = readTextField(input, "plan");
  const questions = formatQuestions(input);
  const task = isText(input.prompt) && isText(input.description) ? input.prompt : "";
  const todos = listObjects(input.todos).map((todo) =>
    readTextField(todo, "content", "description", "subject"),
  );
  const subject = readTextField(input, "description", "subject", "title", "name", "skill", "explanation");
  const changes = use.files.some(({ how }) => how !== "read");

  const shown =
    command !== ""
      ? `${shortenFlat(command, 240)}${subject === "" ? "" : ` # ${subject}`}`
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
    headline: `${tool} ${shortenFlat(shown, maxUseChars.headline)}`.trim(),
    actions: [
      tool,
      files.join("\n"),
      shortenText(command, maxUseChars.command),
      shortenFlat(pattern, maxUseChars.other),
      folder === "" ? "" : relativize(folder),
      shortenFlat(subject, maxUseChars.other),
      joinWithin(todos, maxUseChars.task),
      shortenText(task, maxUseChars.task),
      changes
        ? joinWithin(listChangedLines(edits, input), maxUseChars.changed)
        : joinOtherInputs(input, shownKeys),
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
