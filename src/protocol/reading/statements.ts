/** What is said and done in a stored turn, for a reader. */

interface SpokenText {
  /** Who says it, or what was done: "you", "agent", "ran", "wrote"; "" where the text does not say. */
  speaker: string;
  text: string;
}

/** How stored turns label who speaks, and how a person is shown it. */
const speakers: Readonly<Record<string, string>> = {
  USER: "you",
  ASSISTANT: "agent",
  THINKING: "think",
  TOOL_USE: "tool",
  TOOL_RESULT: "output",
  NOTICE: "notice",
  SUMMARY: "sum",
  COMPACTION: "compact",
  NOTE: "note",
};

const label = new RegExp(`\\[(${Object.keys(speakers).join("|")})\\] ?`);
const labelAtLine = new RegExp(`^${label.source}`, "m");

/** What agents' tools do, by their names. */
const deeds: readonly [verb: string, tools: RegExp][] = [
  ["ran", /^(?:bash|shell|exec(?:_command)?|run_(?:shell_)?command|local_shell|execute_command|terminal)$/i],
  ["wrote", /^(?:write|write_file|create|create_file|write_to_file)$/i],
  ["edited", /^(?:edit|multiedit|notebookedit|replace|replace_in_file|apply_patch|str_replace\w*)$/i],
  ["read", /^(?:read|read_file|view|cat|read_many_files)$/i],
  ["searched", /^(?:grep|glob|search\w*|find\w*|web_?search)$/i],
  ["listed", /^(?:list\w*|ls)$/i],
  ["fetched", /^(?:web_?)?fetch$/i],
];

/** The statements of a text in which each begins a line, or, of a snippet on one line, stands anywhere. */
export function parseStatements(text: string, isOnOneLine = false): SpokenText[] {
  const [first = "", ...parts] = text.split(isOnOneLine ? label : labelAtLine);
  const statements: SpokenText[] = [{ speaker: "", text: first }];
  for (let i = 0; i < parts.length; i += 2) statements.push(parseStatement(parts[i]!, parts[i + 1] ?? ""));
  return statements.filter((statement) => statement.text.trim() !== "");
}

function parseStatement(kind: string, text: string): SpokenText {
  if (kind !== "TOOL_USE") return { speaker: speakers[kind]!, text };
  const [, tool = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const verb = deeds.find(([, tools]) => tools.test(tool))?.[0];
  return verb === undefined || rest === "" ? { speaker: "tool", text } : { speaker: verb, text: rest };
}

/** The statements of a snippet, each on one line and without Markdown's marks. */
export function parseSnippet(snippet: string): SpokenText[] {
  return parseStatements(snippet, true).map(({ speaker, text }) => ({
    speaker,
    text: withoutMarks(text).replace(/\s+/g, " ").trim(),
  }));
}

/** A snippet as a line for a reader: "you: Why? ran: npm test wrote src/a.ts". */
export function formatSnippet(snippet: string): string {
  return parseSnippet(snippet)
    .map(({ speaker, text: said }) => {
      const isFile = speaker !== "ran" && deeds.some(([verb]) => verb === speaker);
      return speaker === "" ? said : `${speaker}${isFile ? "" : ":"} ${said}`;
    })
    .join(" ");
}

/** Without marks of headings, emphasis and code, which only a renderer needs. */
function withoutMarks(text: string): string {
  return text
    .replace(/(^|[\s…])#{1,6} (?=\S)/g, "$1")
    .replace(/(^|[\s…("])\*\*(?=[\p{L}\p{N}`])/gu, "$1")
    .replace(/(?<=[\p{L}\p{N}`.:!?)])\*\*(?=[\s….,:;!?)"]|$)/gu, "")
    .replace(/```\w*|``/g, " ")
    .replace(/`([^`\n]+)`/g, "$1");
}
