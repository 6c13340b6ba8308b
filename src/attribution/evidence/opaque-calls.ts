import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { stripFormatting } from "../lines/line-keys.ts";

/** A call of a tool of which nobody knows what it writes: of an MCP server, or an edit whose result holds no patch. */
export interface OpaqueCall {
  sessionUid: string;
  turn: number;
  toolUse: string;
  model: string | null;
  startedAt: number;
  /** Without a result, when it was over at the latest. */
  endedAt: number;
  /** Strings of its input that may be paths, relative to the project's root where they are in it. */
  paths: readonly string[];
  /** Other strings of its input: what it puts into files may be among them. */
  texts: readonly string[];
  /** Its name says that it changes code, wherever that is. */
  isRewriting: boolean;
  /** Its name says that it puts a file at another path, and it names two. */
  isCopying: boolean;
}

/** Clients' own tools that change no file. */
const readingTools =
  /^(?:AskUserQuestion|BashOutput|EnterPlanMode|ExitPlanMode|Glob|Grep|KillBash|KillShell|LS|ListMcpResources(?:Tool)?|NotebookRead|Read|ReadMcpResource(?:Tool)?|SendMessage|Skill|SlashCommand|StructuredOutput|Task(?:Create|Get|List|Output|Stop|Update)|TeamCreate|TodoRead|TodoWrite|ToolSearch|WebFetch|WebSearch|ask_followup_question|ask_user|attempt_completion|update_plan|update_topic|wait|write_stdin)$/i;

const readingWords =
  /^(?:analy[sz]e|ask|browse|check|click|compare|complete|count|describe|diagnostics?|diff|explain|explore|fetch|find|focus|get|glob|grep|has|history|hover|info|inspect|is|list|log|logs|lookup|map|navigate|observe|open|outline|overview|peek|plan|preview|query|read|recall|references|remember|resolve|scan|screenshot|search|select|show|snapshot|status|summari[sz]e|symbols|think|thinking|todo|tree|validate|verify|view|wait|watch|why)$/;
const writingWords =
  /^(?:add|append|apply|change|codemod|copy|create|cut|delete|duplicate|edit|edits|execute|extract|fix|format|generate|inline|insert|migrate|modify|move|overwrite|paste|patch|put|refactor|remove|rename|reorder|replace|restore|revert|rewrite|run|save|scaffold|set|sort|transform|undo|update|upgrade|wrap|write)$/;
/** What is said of code, and seldom of an issue or a message. */
const rewritingWords =
  /^(?:apply|codemod|edit|edits|extract|fix|format|generate|inline|migrate|move|patch|refactor|rename|reorder|replace|restore|rewrite|scaffold|transform|wrap)$/;
const copyingWords = /^(?:copy|cp|duplicate|move|mv|rename)$/;

const wordsOfTool = (tool: string): string[] =>
  (tool.split(/__|[./:]/).at(-1) ?? "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);

/** Whether a tool is known only to read. */
export function onlyReads(tool: string): boolean {
  if (readingTools.test(tool) || /^mcp__pommel__/.test(tool)) return true;
  const words = wordsOfTool(tool);
  return words.some((word) => readingWords.test(word)) && !words.some((word) => writingWords.test(word));
}

/** Strings in an input that are looked at. */
const maxStrings = 400;
/** A path, or a name that is put into files, is not longer. Characters. */
const maxPathChars = 400;

/** What a call's input says of the files that it may have changed. */
export function readOpaqueInput(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  relativize: (path: string) => string,
): Pick<OpaqueCall, "paths" | "texts" | "isRewriting" | "isCopying"> {
  const words = wordsOfTool(tool);
  const paths: string[] = [];
  const texts: string[] = [];
  for (const value of listInputTexts(input)) {
    const path = value.replace(/^file:\/\//, "");
    if (/^[^\s"'`<>|*?()[\]{}=;]+$/.test(path) && path.length <= maxPathChars && /[./\\]/.test(path))
      paths.push(relativize(path).replaceAll("\\", "/").replace(/^\.\//, ""));
    texts.push(value);
  }
  return {
    paths,
    texts,
    isRewriting: words.some((word) => rewritingWords.test(word)),
    isCopying: paths.length > 1 && words.some((word) => copyingWords.test(word)),
  };
}

function listInputTexts(input: unknown): string[] {
  const found: string[] = [];
  const open: unknown[] = [input];
  while (open.length > 0 && found.length < maxStrings) {
    const value = open.pop();
    if (typeof value === "string") {
      if (value.trim() !== "") found.push(value);
    } else if (typeof value === "object" && value !== null) open.push(...Object.values(value));
  }
  return found;
}

/** Whether a call names a file, or a directory that it is in. */
export const isNamingFile = ({ paths }: OpaqueCall, path: string): boolean =>
  paths.some(
    (named) =>
      named === path ||
      named === "." ||
      named.endsWith(`/${path}`) ||
      (named.includes("/") && !named.startsWith("/") && path.endsWith(`/${named}`)) ||
      path.startsWith(`${named.replace(/\/$/, "")}/`),
  );

/** Whether a call names any file. */
export const isNamingAnyFile = ({ paths }: OpaqueCall): boolean => paths.some((path) => /\.\w+$/.test(path));

/** A shorter text is in many lines by chance. Characters. */
const minSaidChars = 4;

/** Whether a line holds a text of a call's input, or is a line of it. */
export function isLineInCall({ texts }: OpaqueCall, bare: string): boolean {
  return texts.some((text) =>
    text.split("\n").some((line) => {
      const said = stripFormatting(line);
      return said.length >= minSaidChars && bare.includes(said);
    }),
  );
}

/** Names that a call may have put in the place of others. */
const isName = (text: string): boolean => /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(text) && text.length >= 2;

/**
 * Whether a call that renames made a line of a removed one: both are the same but for a name of its input, which is in the
 * place of other names.
 */
export function isRenamedLine({ texts }: OpaqueCall, removed: string, added: string): boolean {
  return texts.some((name) => {
    if (!isName(name) || !added.includes(name) || removed === added) return false;
    const pieces = added.split(new RegExp(`(?<![\\w$])${escapeRegExp(name)}(?![\\w$])`));
    if (pieces.length < 2) return false;
    const before = new RegExp(`^${pieces.map(escapeRegExp).join("([\\w$]+)")}$`).exec(removed);
    return before?.slice(1).some((word) => word !== name) === true;
  });
}
