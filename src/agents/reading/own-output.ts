/**
 * Pommel's own output is never stored: a search would find earlier searches, and every answer would grow the next one.
 */

/** Whether a tool is one of Pommel's MCP tools, installed directly or by a plugin. */
export function isOwnTool(name: string): boolean {
  return /^mcp__(?:plugin_[\w-]*?_)?pommel__/.test(name);
}

/** Context that was injected; some clients escape the brackets of its frame. */
const ownContextBlock =
  /\s*(?:<|&lt;)pommel-context(?:>|&gt;)[\s\S]*?(?:(?:<|&lt;)\/pommel-context(?:>|&gt;)|$)\s*/g;

/** Removes injected context from a text; a truncated block extends to the end. */
export function withoutOwnContext(text: string): string {
  return text.includes("pommel-context") ? text.replace(ownContextBlock, "\n").trim() : text;
}

const programs = new Set(["pm", "pommel", "pommeld", "pm.cjs", "pommeld.cjs"]);
/** Programs that run the command in their arguments. */
const wrappers = new Set([
  "command",
  "builtin",
  "exec",
  "env",
  "sudo",
  "time",
  "nice",
  "nohup",
  "timeout",
  "stdbuf",
  "xargs",
  "node",
  "npx",
  "bunx",
]);
/** `npm exec -- pm`, `pnpm dlx pommel`, `yarn pm` */
const managers = new Set(["npm", "pnpm", "yarn", "bun"]);
const managerWords = new Set(["exec", "x", "dlx", "run"]);
const shells = new Set(["sh", "bash", "zsh", "dash", "fish"]);
const keywords = new Set(["if", "then", "else", "elif", "while", "until", "do", "!", "{", "("]);

/** Whether a shell command runs Pommel somewhere: `cd app && pm search x | head`, `npx pommel status`. */
export function isOwnCommand(command: string): boolean {
  // Fast path.
  if (!/pm|pommel/.test(command)) return false;
  return splitCommands(command).some(isPommelCommand);
}

function isPommelCommand(words: string[]): boolean {
  let at = 0;
  while (at < words.length && (keywords.has(words[at]!) || /^\w+=/.test(words[at]!))) at++;
  const program = stripDirectories(words[at] ?? "");
  if (programs.has(program)) return true;
  const rest = words.slice(at + 1);
  if (shells.has(program)) {
    const script = rest[rest.findIndex((word) => /^-\w*c$/.test(word)) + 1];
    return script !== undefined && rest.some((word) => /^-\w*c$/.test(word)) && isOwnCommand(script);
  }
  if (managers.has(program))
    return managerWords.has(rest[0] ?? "") ? isOwnAfterOptions(rest.slice(1)) : isOwn(rest[0]);
  return wrappers.has(program) && isOwnAfterOptions(rest);
}

/** Skips a wrapper's options, numbers (`timeout 5`) and assignments. */
function isOwnAfterOptions(words: string[]): boolean {
  const at = words.findIndex((word) => !/^-|^\d+[smhd]?$|^\w+=/.test(word));
  return at !== -1 && (isOwn(words[at]) || isPommelCommand(words.slice(at)));
}

function isOwn(word: string | undefined): boolean {
  // A package may have a version.
  return word !== undefined && programs.has(stripDirectories(word).replace(/@.*/, ""));
}

function stripDirectories(word: string): string {
  return word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
}

/**
 * The unquoted words of each simple command in a shell command. Commands in `$(...)` and backticks are separate, also
 * within double quotes. This much of the grammar suffices to find what runs.
 */
function splitCommands(command: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;

  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };

  for (let at = 0; at < command.length; at++) {
    const char = command[at]!;
    if (quote === "'") {
      if (char === "'") quote = null;
      else word += char;
    } else if (char === "\\") {
      at++;
      if (command[at] !== "\n") word = (word ?? "") + (command[at] ?? "");
    } else if (char === "`" || (char === "$" && command[at + 1] === "(")) {
      endCommand();
      if (char === "$") at++;
      quote = null;
    } else if (char === '"') {
      quote = quote === '"' ? null : '"';
      word ??= "";
    } else if (quote === '"') {
      word += char;
    } else if (char === "'") {
      quote = "'";
      word ??= "";
    } else if (/[;&|()\n]/.test(char)) {
      endCommand();
    } else if (/[\s<>]/.test(char)) {
      endWord();
    } else {
      word = (word ?? "") + char;
    }
  }
  endCommand();
  return commands;
}
