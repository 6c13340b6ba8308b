import { leavesFiles } from "./leaves-files.ts";

/** What an agent's command line wrote, and what it cannot have written. */

export interface ShellWrite {
  /** As written in the command: relative to the shell's directory. */
  path: string;
  lines: string[];
}

const heredoc =
  /<<(-?)\s*\\?(["']?)([A-Za-z_][\w.-]*)\2([^\n]*)\n((?:[\s\S]*?\n)??)[\t ]*\3[ \t]*(?=\n|$|\))/g;
const target = /(?:^|[^<>&\d])>>?\s*("[^"\n]+"|'[^'\n]+'|[^\s;&|<>()"']+)/;
const teeTarget = /\btee\s+(?:-a\s+)?("[^"\n]+"|'[^'\n]+'|[^\s;&|<>()"']+)/;
const printed =
  /\b(?:echo|printf)\s+(?:-[neE]+\s+)*("(?:[^"\\]|\\[\s\S])*"|'[^']*')\s*>>?\s*("[^"\n]+"|'[^'\n]+'|[^\s;&|<>()"']+)/g;

/** Programs that write what they are given, and nothing else. */
const copying = /(?:^|[;&|(]|\s)(?:cat|tee|git\s+apply|patch|apply_patch|git\s+commit|git\s+am)\b[^;&|]*$/;

/**
 * A command line without its here-documents.
 * @param keeps "scripts": those that a program may run stay
 */
export function withoutHeredocs(command: string, { keeps }: { keeps: "nothing" | "scripts" }): string {
  if (!command.includes("<<")) return command;
  return command.replace(heredoc, (whole, ...groups) => {
    const rest = String(groups[3] ?? "");
    const offset = groups.find((group) => typeof group === "number") as number;
    const before = command.slice(command.lastIndexOf("\n", offset) + 1, offset);
    return keeps === "scripts" && !copying.test(before) ? whole : ` ${rest}`;
  });
}

/** A shell that is given a command line, and a container that is given a command. */
const inShell = /^\s*(?:\/\S*\/)?(?:ba|z|da)?sh\s+-[a-z]*c\s+(["'])([\s\S]*)\1\s*$/;
const inContainer =
  /(?<=^|&&|\|\||[;\n])\s*(?:docker|podman)(?:-compose|\s+compose)?\s+(?:-\S+\s+)*(?:run|exec)\s+(?:(?:-[evwup]|--(?:name|env|volume|workdir|user|entrypoint))(?:=|\s+)\S+\s+|-\S+\s+)*[\w.:/-]+\s+(?=[\w./"'])/g;

/** What a command line runs in the end, in whatever shell or container. */
export function innermost(command: string): string {
  let inner = command;
  for (let before = ""; before !== inner; ) {
    before = inner;
    inner = inner.replace(inContainer, "").replace(inShell, "$2");
  }
  return inner;
}

const unquoted = (word: string) => word.replace(/^(["'])([\s\S]*)\1$/, "$2");

/** Files whose content is in the command itself: here-documents, echo and printf into a file. */
export function writesIn(command: string): ShellWrite[] {
  if (!command.includes(">") && !command.includes("tee")) return [];
  const writes: ShellWrite[] = [];
  for (const match of command.matchAll(heredoc)) {
    const [, dash, , , rest = "", body = ""] = match;
    const lineStart = command.lastIndexOf("\n", match.index) + 1;
    // Of a line with several commands the one that is given the text.
    const before = command
      .slice(lineStart, match.index)
      .split(/&&|\|\||[;|]/)
      .at(-1)!;
    const line = `${before} ${rest.split(/&&|\|\||;/, 1)[0]}`;
    const path = [target, teeTarget]
      .map((each) => each.exec(line)?.[1])
      .find((each) => each !== undefined && !/^["']?\/dev\//.test(each));
    const lines = body.replace(/\n$/, "").split("\n");
    if (path)
      writes.push({
        path: unquoted(path),
        lines: dash ? lines.map((each) => each.replace(/^\t+/, "")) : lines,
      });
  }
  for (const [, text = "", path = ""] of command.matchAll(printed)) {
    const unquotedText = unquoted(text)
      .replace(/\\n/g, "\n")
      .replace(/\\(["$`\\])/g, "$1")
      .replace(/\n$/, "");
    writes.push({ path: unquoted(path), lines: unquotedText.split("\n") });
  }
  return writes;
}

/** Programs that only print something, as far as a project's files are concerned. */
const reading =
  /^(?:ls|cat|head|tail|grep|rg|ag|find|fd|wc|which|whereis|type|pwd|cd|echo|printf|true|false|test|\[|stat|file|du|df|ps|env|date|sleep|kill|pkill|diff|cmp|sort|uniq|cut|tr|jq|less|more|tree|basename|dirname|realpath|whoami|uname|curl|ping|gh|export|set|source|\.|lsof|open|pm|awk|sed|xargs|seq|read|for|while|do|done|if|then|else|fi|case|esac|time|tee)$/;
const writingFlags: Readonly<Record<string, RegExp>> = {
  sed: /\s-[a-zA-Z]*i|--in-place/,
  find: /-delete|-exec/,
  tee: /./,
  awk: /inplace|>/,
  xargs: /./,
  curl: /\s-[a-zA-Z]*[oO]\b|--output|--remote-name/,
};
/** Git commands that leave the files of the working tree alone. */
const readingGit =
  /^git\s+(?:-\S+\s+(?:\S+\s+)?)*(?:status|diff|log|show|add|commit|push|fetch|branch|rev-parse|ls-files|blame|remote|config|tag|describe|stash\s+list|rev-list|grep|shortlog|reflog|worktree\s+list|cat-file)\b/;
/** Words that may precede a command: shell keywords, wrappers, variables. */
const leading = /^(?:(?:do|then|else|elif|if|while|until|!|\{|sudo|time|env|timeout\s+\S+|\w+=\S*)\s+)+/;

/** Whether a command may have changed files of the project: everything that is not known to leave them alone. */
export function mayWrite(command: string): boolean {
  const text = withoutHeredocs(command, { keeps: "nothing" })
    .replace(/"(?:[^"\\]|\\[\s\S])*"|'[^']*'/g, '""')
    .replace(/\d?>&\d|&>\s*\/dev\/null|\d?>>?\s*\/dev\/null/g, "");
  if (/(?:^|[^<>&\d=-])>>?\s*(?!\/(?:tmp|dev|var|proc)\/)[^\s&|;]/.test(text)) return true;
  return commandsIn(text)
    .flatMap((commands) => commands.split(/&&|\|\||[;|&\n]/))
    .map((part) => part.trim().replace(leading, ""))
    .some((part) => {
      if (part === "" || part.startsWith("#")) return false;
      if (part.startsWith("git ") || part === "git") return !readingGit.test(part);
      if (leavesFiles(part)) return false;
      const name = (part.split(/\s/, 1)[0] ?? "").replace(/^.*\//, "");
      return !reading.test(name) || (writingFlags[name]?.test(part) ?? false);
    });
}

/** A command line without its subshells and substitutions, and those; the parentheses of find's tests are escaped. */
function commandsIn(text: string): string[] {
  const inner: string[] = [];
  let outer = text.replace(/\$\(\([^()]*\)\)/g, "1");
  for (let before = ""; before !== outer; ) {
    before = outer;
    outer = outer.replace(/`([^`]*)`|([$<>]?)(?<!\\)\(([^()]*)\)/g, (_, quoted, sign, commands) => {
      inner.push(quoted ?? commands);
      return sign === "" ? "" : "1";
    });
  }
  return [outer, ...inner];
}

/** A commit as git prints one that it made. */
export interface PrintedCommit {
  /** Its abbreviated hash. */
  hash: string;
  subject: string;
}

/** Commits in a command's output, as git prints them: "[main 1a2b3c4] subject". */
export function commitsIn(output: string): PrintedCommit[] {
  return [...output.matchAll(/^\[[^\]\n]*?\b([0-9a-f]{7,64})\]([^\n]*)/gm)].map(
    ([, hash = "", subject = ""]) => ({ hash, subject: subject.trim() }),
  );
}
