import { RE2JS, RE2JSException } from "re2js";
import rules from "./commands.json" with { type: "json" };

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
export function unwrapCommand(command: string): string {
  let inner = command;
  for (let before = ""; before !== inner; ) {
    before = inner;
    inner = inner.replace(inContainer, "").replace(inShell, "$2");
  }
  return inner;
}

const stripQuotes = (word: string) => word.replace(/^(["'])([\s\S]*)\1$/, "$2");

/** Files whose content is in the command itself: here-documents, echo and printf into a file. */
export function parseShellWrites(command: string): ShellWrite[] {
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
        path: stripQuotes(path),
        lines: dash ? lines.map((each) => each.replace(/^\t+/, "")) : lines,
      });
  }
  for (const [, text = "", path = ""] of command.matchAll(printed)) {
    const unquotedText = stripQuotes(text)
      .replace(/\\n/g, "\n")
      .replace(/\\(["$`\\])/g, "$1")
      .replace(/\n$/, "");
    writes.push({ path: stripQuotes(path), lines: unquotedText.split("\n") });
  }
  return writes;
}

/** Programs that only print something, as far as a project's files are concerned. */
const reading = new RegExp(`^(?:${rules.reads.join("|")})$`);
const writingFlags: Readonly<Record<string, RegExp>> = {
  sed: /\s-[a-zA-Z]*i|--in-place/,
  find: /-delete|-exec/,
  tee: /./,
  awk: /inplace|>/,
  xargs: /./,
  curl: /\s-[a-zA-Z]*[oO]\b|--output|--remote-name/,
};
/** Git commands that leave the files of the working tree alone. */
const readingGit = new RegExp(`^git\\s+(?:-\\S+\\s+(?:\\S+\\s+)?)*(?:${rules.readsInGit.join("|")})\\b`);
/** Words that may precede a command: shell keywords, wrappers, variables. */
const leading = /^(?:(?:do|then|else|elif|if|while|until|!|\{|sudo|time|env|timeout\s+\S+|\w+=\S*)\s+)+/;

/** Whether a command may have changed files of the project: everything that is not known to leave them alone. */
export function canWriteFiles(command: string): boolean {
  const text = withoutHeredocs(command, { keeps: "nothing" })
    .replace(/"(?:[^"\\]|\\[\s\S])*"|'[^']*'/g, '""')
    .replace(/\d?>&\d|&>\s*\/dev\/null|\d?>>?\s*\/dev\/null/g, "");
  if (/(?:^|[^<>&\d=-])>>?\s*(?!\/(?:tmp|dev|var|proc)\/)[^\s&|;]/.test(text)) return true;
  return splitSubshells(text)
    .flatMap((commands) => commands.split(/&&|\|\||[;|&\n]/))
    .map((part) => part.trim().replace(leading, ""))
    .some((part) => {
      if (part === "" || part.startsWith("#")) return false;
      if (part.startsWith("git ") || part === "git") return !readingGit.test(part);
      if (isReadOnlyCommand(part)) return false;
      const name = (part.split(/\s/, 1)[0] ?? "").replace(/^.*\//, "");
      return !reading.test(name) || (writingFlags[name]?.test(part) ?? false);
    });
}

/** A command line without its subshells and substitutions, and those; the parentheses of find's tests are escaped. */
function splitSubshells(text: string): string[] {
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
export function parsePrintedCommits(output: string): PrintedCommit[] {
  return [...output.matchAll(/^\[[^\]\n]*?\b([0-9a-f]{7,64})\]([^\n]*)/gm)].map(
    ([, hash = "", subject = ""]) => ({ hash, subject: subject.trim() }),
  );
}

/** Replacements that a command makes in files: `sed -i s/a/b/`, `perl -pi -e s/a/b/`. */
export type Substitution = (line: string) => string;

const inPlace = /\b(?:sed\b[^|;&\n]*?\s(?:-[a-zA-Z]*i|--in-place)|perl\s+-[a-zA-Z]*p?i)/;
const expression = /(?:^|[\s'";])s([/|#,@!])((?:\\.|(?!\1)[^\n])+?)\1((?:\\.|(?!\1)[^\n])*?)\1([gI\d]*)/g;

/** More are no use. */
const maxSubstitutions = 20;

export function parseSubstitutions(command: string): Substitution[] {
  if (!inPlace.test(command)) return [];
  const isExtended = /\bperl\b|\bsed\b[^|;&\n]*\s-[a-zA-Z]*[Er]/.test(command);
  return [...command.matchAll(expression)]
    .slice(0, maxSubstitutions)
    .flatMap(([, sign = "/", from = "", to = "", flags = ""]) => {
      try {
        const pattern = from.replaceAll(`\\${sign}`, sign);
        const compiled = RE2JS.compile(
          isExtended ? pattern : toExtendedRegex(pattern),
          flags.includes("I") ? RE2JS.CASE_INSENSITIVE : 0,
        );
        const replacement = toRe2Replacement(to.replaceAll(`\\${sign}`, sign));
        return [
          (line: string) => {
            const matcher = compiled.matcher(line);
            return flags.includes("g") ? matcher.replaceAll(replacement) : matcher.replaceFirst(replacement);
          },
        ];
      } catch (error) {
        if (error instanceof RE2JSException) return [];
        throw error;
      }
    });
}

/** A step of sed that takes lines out. */
const deletion = /^(?:\d+|\$|\/(?:\\.|[^/])*\/)?(?:,(?:[+~]?\d+|\$|\/(?:\\.|[^/])*\/))?!?d$/;
const quotedText = /"(?:[^"\\]|\\[\s\S])*"|'[^']*'/g;

/**
 * What a command that does nothing to files but replace words and take out lines puts in the place of others; null for other
 * commands.
 */
export function listReplacementTexts(command: string): string[] | null {
  const outside = command.replace(quotedText, (text) => text.replace(/[&|;\n]/g, " "));
  const parts: string[] = [];
  let at = 0;
  for (const part of outside.split(/&&|\|\||[;|\n]/)) {
    const start = outside.indexOf(part, at);
    at = start + part.length;
    parts.push(command.slice(start, at).trim());
  }
  const writing = parts.filter((part) => part !== "" && canWriteFiles(part));
  if (writing.length === 0) return null;
  const texts: string[] = [];
  for (const part of writing) {
    if (!inPlace.test(part)) return null;
    const found = [...part.matchAll(expression)].map(([, , , to = ""]) => to.replace(/\\(.)/g, "$1"));
    const scripts = (part.match(quotedText) ?? []).map((text) => text.slice(1, -1).trim());
    const isDeletion = scripts.some((script) =>
      script.split(/[;\n]/).every((step) => deletion.test(step.trim())),
    );
    if (found.length === 0 && !isDeletion) return null;
    texts.push(...found);
  }
  // What is taken out leaves a line of whoever wrote it.
  const put = texts.filter((text) => text.trim() !== "");
  return put.every((text) => text.length > 2 && !text.includes("&")) ? put : null;
}

/** A basic regular expression as an extended one: there brackets and signs mean themselves without a backslash. */
const toExtendedRegex = (basic: string) =>
  basic.replace(/\\([(){}|+?<>])|([(){}|+?])/g, (_, escaped?: string, plain?: string) =>
    escaped === undefined ? `\\${plain}` : escaped === "<" || escaped === ">" ? "\\b" : escaped,
  );

/** `\1` and `&` as the library wants them. */
const toRe2Replacement = (to: string) =>
  to.replace(/\\(\d)|\\(.)|([$&])/g, (_, group?: string, escaped?: string, sign?: string) =>
    group !== undefined ? `$${group}` : sign === "&" ? "$&" : sign === "$" ? "$$" : (escaped ?? ""),
  );

/** Commands that leave a project's files alone however long they run: builds, tests, servers, what waits or only asks. */

/** A script of a manifest by its name: `npm run test:e2e`. */
const script = `(?:test|e2e|build|lint|types?|typecheck|check|dev|start|serve|server|watch|preview|storybook|coverage|bench)`;

const programs: readonly string[] = [
  // Their output is not committed; what generates files has names of its own (command-means.ts).
  String.raw`go\s+(?:test|build|vet|run|version|env|doc|list)`,
  String.raw`(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:run\s+)?${script}(?:[:\-.]\S*)?`,
  String.raw`(?:npm|pnpm)\s+ci`,
  "tsc|vitest|jest|mocha|ava|tap|playwright|cypress|karma|nyc|c8|eslint|stylelint|pytest|tox|nox|rspec|phpunit|ctest|nextest|pyright|mypy|golangci-lint|shellcheck",
  String.raw`biome\s+(?:check|lint)|ruff\s+check`,
  String.raw`python[\d.]*\s+-m\s+(?:pytest|unittest|http\.server|mypy)`,
  String.raw`python[\d.]*\s+manage\.py\s+(?:test|runserver|check)`,
  String.raw`cargo\s+(?:\+\S+\s+)?(?:test|build|check|clippy|run|bench|nextest|watch)`,
  String.raw`make\s+(?:-\S+\s+)*(?:test|build|check|lint|run|serve|dev|bench)\S*`,
  String.raw`(?:\.\/)?(?:gradlew|mvnw|gradle|mvn)\s+(?:-\S+\s+)*(?:test|check|verify|build|assemble|run|bootRun)`,
  String.raw`dotnet\s+(?:test|build|run|watch)|mix\s+test|rake\s+(?:test|spec)|deno\s+(?:test|check|lint)|swift\s+(?:test|build|run)|zig\s+(?:test|build)|flutter\s+test`,
  String.raw`docker(?:-compose|\s+compose)\s+(?:-\S+\s+)*(?:up|logs|ps|build|pull|down|start|stop|restart)|docker\s+(?:build|logs|ps|images|pull|push|stop|inspect)`,
  String.raw`kubectl\s+(?:get|logs|describe|port-forward|wait|rollout)|terraform\s+(?:plan|validate|show)|helm\s+(?:list|lint)`,
  String.raw`node\s+(?:--\S+\s+)*\S*(?:server|serve|dev|test)\S*|flask\s+run|uvicorn|gunicorn|(?:bin\/)?rails\s+(?:s|server|test)|vite(?:\s+(?:--\S+|preview|dev)|$)|next\s+(?:dev|start|build)|ng\s+(?:serve|test)|nodemon|http-server|live-server`,
  "sleep|wait|ssh|nc|telnet|psql|redis-cli|mysql|htop|top|corepack",
  // A script that is called what it does: ./scripts/wait-for-it.sh.
  String.raw`(?:(?:ba|z)?sh\s+|node\s+|python[\d.]*\s+)?[\w.-]*\/(?:[\w.-]+\/)*(?:wait|run-?tests?|tests?|check|lint|serve|server|start|dev|build|e2e|ci)(?:[-_][\w-]*)?(?:\.\w+)?(?=\s|$)`,
];

const runners = String.raw`(?:(?:npx|pnpm\s+(?:exec|dlx)|yarn\s+exec|bunx|uvx|uv\s+run|poetry\s+run|pipenv\s+run|pdm\s+run|bundle\s+exec|hatch\s+run)\s+(?:-\S+\s+)*)*`;
const leaving = new RegExp(String.raw`^${runners}(?:${programs.join("|")})(?![\w-])`);

/** What makes one of them write after all. */
const writing =
  /\s(?:--(?:fix|write|apply|update\S*|snapshot-update|accept|inplace|unsafe)|-u|-w)(?![\w-])|\b(?:codegen|generate)\b/;

/** Whether a single command leaves the project's files alone. */
export const isReadOnlyCommand = (command: string): boolean =>
  leaving.test(command) && !writing.test(command);

/** Patches in a text, as `git apply`, `patch` and agents' own tools take them. */

/** A changed file: lines as in a diff, with a sign each. */
export interface PatchedFile {
  path: string;
  lines: string[];
}

const header = /^\+\+\+ (?:b\/)?([^\t\n]+)/;
const envelope = /^\*\*\* (?:Add|Update) File: (.+)$/;

export function parsePatches(text: string): PatchedFile[] {
  if (!text.includes("@@") && !text.includes("*** Add File")) return [];
  const files: PatchedFile[] = [];
  let file: PatchedFile | null = null;
  let before = "";
  for (const line of text.split("\n")) {
    const [, path] = (before.startsWith("--- ") ? header.exec(line) : envelope.exec(line)) ?? [];
    before = line;
    if (path !== undefined) {
      // The header's first line looks like a removed one.
      if (file?.lines.at(-1)?.startsWith("--- ")) file.lines.pop();
      file = { path: path.trim(), lines: [] };
      if (file.path !== "/dev/null") files.push(file);
    } else if (/^(?:diff --git|\*\*\* End Patch|PATCH$|EOF$)/.test(line)) file = null;
    else if (file && /^[-+ ]/.test(line)) file.lines.push(line);
  }
  return files.filter(({ lines }) => lines.some((line) => line.startsWith("+")));
}
