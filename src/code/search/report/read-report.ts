/**
 * Reads what somebody with a problem pastes: an issue, a log, a stack trace. Tells apart what says what is wrong and what only stands
 * around it: each part asks the index in its own way.
 */

/** A place that a stack trace or a message of a compiler names. */
interface StackFrame {
  /** As written: absolute, relative, or a module with dots. */
  path: string;
  /** 1-based; null where it is not said. */
  line: number | null;
  /** The function; null where it is not said. */
  name: string | null;
}

/** A report, taken apart. Texts are as written, without their markup. */
export interface Report {
  /** Its first line. A log has none: there it is the last error, or else the first sentence. */
  title: string;
  /** Sentences, without headings, check lists, versions and other words of a template. */
  prose: string;
  /** Programs, sessions and output that it quotes. */
  code: string;
  /** Lines that say what failed. */
  errors: string[];
  /** What a stack trace names, the innermost call first. */
  frames: StackFrame[];
  /** Files that are named in sentences, code and links. */
  paths: string[];
}

/** Reports are longer than questions: so many words at least, or lines. */
const minWords = 40;
const minLines = 3;

/** Whether a query is long enough to have parts. */
export function isReport(query: string): boolean {
  const text = query.trim();
  if (text.split("\n", minLines + 1).filter((line) => line.trim() !== "").length >= minLines) return true;
  return text.split(/\s+/, minWords).length >= minWords;
}

/** Characters that are read; a longer report repeats itself. */
const maxChars = 40_000;
/** A longer line is data. Characters. */
const maxLineChars = 1000;

/** Headings of templates that say nothing, and of sections that tell of the reporter's machine. */
const environment =
  /^(?:\W*)(?:your |my )?(?:environment|versions?\b|system\b|os\b|platform|operating system|configuration$|software|setup$|installed|checklist|check list|before submitting|guidelines|output of|python -c|relevant versions|dialect|package version|additional (?:info|packages)|is it a substantial|are there changes|documentation update|affected branches|assistance disclosure|tests? added)/i;
const checkbox = /^\s*(?:[-*+]|\d+\.)\s*\[[ xX]?\]/;
const version =
  /^\W*[\w.@/ -]{1,40}(?:\s*(?:==?|:|@)\s*|\s+)v?\d+\.\d+[\w.+-]*(?:\s*\(.*\))?\W*$|^\W*(?:OS|Python|Node|npm|Operating system|Platform|Version|Kernel)\b[^.]{0,60}$/i;
const heading = /^\s{0,3}#{1,6}\s+|^\s*\*\*[^*]{1,60}\*\*:?\s*$|^\s*__[^_]{1,60}__:?\s*$/;
const underline = /^\s*([=\-~^*])\1{2,}\s*$/;
const fence = /^\s*(?:`{3,}|~{3,})/;
const traceHead = /^\s*(?:Traceback \(most recent call last\):|Stack trace:|goroutine \d+ \[)/i;
/** Marks below a line of code that show a place in it. */
const marks = /^\s*[\^~]+\s*$/;
const prompt = /^\s*(?:>>>|\.\.\.|\$|#|%|In \[\d+\]:|Out\[\d+\]:|[a-z]+>)\s/;
const indented = /^(?: {4}|\t)\s*\S/;
/** Lines that stand in code, whether they are fenced or not. */
const looksLikeCode =
  /^\s*(?:from\s+[\w.]+\s+import\b|import\s+[\w.{*"']|def\s+\w+\(|class\s+\w+|func\s|fn\s|(?:const|let|var)\s+\w+\s*=|#include|@\w+|\w+\s*=\s*\S+\(|[})\]]+[;,]?$|return\b.*;?$|if\s*\(.*\)\s*\{)/;

const framePatterns: readonly { pattern: RegExp; isInnermostFirst: boolean }[] = [
  // Python
  { pattern: /^\s*File "(?<path>[^"]+)", line (?<line>\d+)(?:, in (?<name>.+))?/, isInnermostFirst: false },
  // IPython: ~/a/b.py in f(x), File ~/a/b.py:12, in f(x)
  {
    pattern: /^\s*(?:File )?(?<path>[~/\w.\\:-]+\.pyx?)(?::(?<line>\d+))?,? in (?<name>[\w.<>]+)/,
    isInnermostFirst: false,
  },
  // JavaScript: at f (a/b.js:1:2), at a/b.js:1:2
  {
    pattern:
      /^\s*at (?:async )?(?:(?<name>[\w$.<> [\]]+?) \()?(?:file:\/\/|webpack:\/*)?(?<path>[^()\s]+?\.[cm]?[jt]sx?|[^()\s]+?\.(?:vue|svelte)):(?<line>\d+)(?::\d+)?\)?/,
    isInnermostFirst: true,
  },
  // Java, Kotlin, Scala: at a.b.C.m(C.java:12)
  {
    pattern:
      /^\s*at (?:[\w.@-]*\/)*(?<package>(?:[\w$]+\.)*?)(?<name>[\w$]+\.[\w$<>]+)\((?:(?<path>\w+\.(?:java|kt|scala|groovy)):(?<line>\d+)|Native Method|Unknown Source|<generated>)\)/,
    isInnermostFirst: true,
  },
  // .NET: at A.B.C(…) in /a/b.cs:line 12
  { pattern: /^\s*at (?<name>[\w.`<>]+)\([^)]*\) in (?<path>\S+):line (?<line>\d+)/, isInnermostFirst: true },
  // Ruby: a/b.rb:12:in `f'
  {
    pattern: /^\s*(?:from )?(?<path>[^\s:]+\.rb):(?<line>\d+):in [`'](?<name>[^']+)'/,
    isInnermostFirst: true,
  },
  // Go and Rust: a path alone in its line
  {
    pattern:
      /^\s*(?:at |--> |#\d+ .{0,120}? at )?(?<path>[~/\w.@-]+\.(?:go|rs|c|cc|cpp|cxx|h|hpp|zig|swift|php|exs?)):(?<line>\d+)(?::\d+)?(?: \+0x[\da-f]+)?:?(?=\s|$)/,
    isInnermostFirst: true,
  },
  { pattern: /panicked at (?:'.*', )?(?<path>[\w./-]+\.rs):(?<line>\d+)/, isInnermostFirst: true },
  // pytest and compilers: a/b.py:12: in f, a/b.py:12: Error
  {
    pattern:
      /^\s*(?<path>[~/\w.-]+\.\w{1,5}):(?<line>\d+):(?:\d+:)? (?:in (?<name>\w+)|[\w ]*(?:[Ee]rror|[Ww]arning|[Ee]xception)\b)/,
    isInnermostFirst: false,
  },
];

/** A call of Go, whose file is in the next line. */
const callAboveFile = /^(?:[\w.~-]+\/)*[\w-]+\.(?:\(\*?\w+\)\.)?(?<name>\w+)(?:\.func[\d.]+)*\([^()]*\)$/;
const goFile = /^\s+\S+\.go:\d+/;
/** Calls whose file is in the next line, or nowhere: those of Rust, and of a runtime. */
const calls: readonly RegExp[] = [
  /^\s*\d+: +(?:0x[\da-f]+ - )?[\w<>&' {}#]*(?:::[\w<>&' {}#]+)*::(?<name>\w+)$/,
  /^\s*at (?:async |new )?[\w$.<>[\] ]+ \((?:native|<anonymous>|node:[^)]*|internal\/[^)]*)\)$/,
  /^\s*(?:at (?:async )?(?:node:|internal\/)\S+|\.\.\. \d+ (?:more|common frames omitted)|created by \S+(?: in goroutine \d+)?)$/,
];

function readFrame(line: string): (StackFrame & { isInnermostFirst: boolean }) | null {
  for (const { pattern, isInnermostFirst } of framePatterns) {
    const found = pattern.exec(line)?.groups;
    if (found === undefined) continue;
    const name = found.name?.trim().replace(/\(.*$/, "") ?? null;
    // A class of Java is in the file of its name, in the directory of its package.
    const path = found.path ?? `${name!.replace(/[.$].*$/, "")}.java`;
    return {
      path: `${found.package?.replaceAll(".", "/") ?? ""}${path.replaceAll("\\", "/")}`,
      line: found.line === undefined ? null : Number(found.line),
      name: name === null || name.startsWith("<") ? null : (name.split(/[.:]+/).at(-1) ?? null),
      isInnermostFirst,
    };
  }
  return null;
}

/** The error that led to the one before it, whose stack trace follows. */
const cause = /^\s*Caused by: /;
const timestamp = /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+/;

/** A line of a stack trace that names no file. @param next the line below it */
function matchCall(line: string, next = ""): { name: string | null } | null {
  for (const pattern of goFile.test(next) ? [callAboveFile, ...calls] : calls) {
    const found = pattern.exec(line);
    if (found !== null) return { name: found.groups?.name ?? null };
  }
  return null;
}

const errorLine =
  /^\s*(?:E\s{1,4}|Caused by: |Exception in thread "[^"]*" )?(?:(?:[\w$]+[.:]+)*[A-Z]\w*(?:Error|Exception|Warning|Failure|Fault|Panic)\b:?|(?:fatal|panic|[Ee]rror|ERROR|CRITICAL)(?:\[\w+\])?:\s|(?:ERROR|FATAL|SEVERE|CRITICAL)\b|thread '.*' panicked|Uncaught |Unhandled )/;

const pathInText =
  /(?<![\w.@/-])(?:[\w.@-]{1,80}\/){1,20}[\w.@-]{1,80}\.\w{1,8}\b|(?<![\w.@/-])[\w-]{1,80}\.(?:pyx?|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|cc?|cpp|hp?p?|swift|scala|vue|svelte|toml|ya?ml|cfg|ini|json|rst|md)\b/g;
/** What stands before a path in a link to a file of a forge. */
const blob = /https?:\/\/\S+?\/blob\/[^/\s]+\//g;
const link = /https?:\/\/\S+/g;

/** Kinds of reports, as forges and templates put them before a title: "[Bug]: ", "Feature request: ". */
const kindOfReport =
  /^(?:\W{0,4}(?:title|issue|bug(?: report)?|feature(?: request)?|enhancement|regression|question|help)\W{0,3}[:\]]\W{0,3})+/i;

/** Whether a line says what a report is about, and is not the beginning of a log or of code. */
const canBeTitle = (line: string, next: string | undefined): boolean =>
  !fence.test(line) &&
  !traceHead.test(line) &&
  !underline.test(line) &&
  matchCall(line, next) === null &&
  !checkbox.test(line) &&
  !prompt.test(line.replace(/^\s*#+\s+/, "")) &&
  readFrame(line) === null;

const cleanTitle = (line: string): string => {
  const title = line
    .trim()
    .replace(/^#{1,6}\s+/, "")
    .replace(/^\*\*(.*)\*\*$/, "$1");
  return title.replace(kindOfReport, "").trim() || title;
};

/** Frames that stand one below the other. */
interface FrameRun {
  frames: StackFrame[];
  isInnermostFirst: boolean;
}

/** Takes a report apart. Never fails; linear in its length. */
export function readReport(query: string): Report {
  const text = query
    .slice(0, maxChars)
    .replace(/\r\n?/g, "\n")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, " ")
    .replace(/<\/?(?:details|summary|br|p|b|i|pre|code|hr|img|div|span|sub)\b[^>]*>/gi, " ");
  const lines = text.split("\n").map((line) => line.slice(0, maxLineChars));
  const first = lines.findIndex((line) => line.trim() !== "");
  const hasTitle = first >= 0 && canBeTitle(lines[first]!, lines[first + 1]);
  const prose: string[] = [];
  const code: string[] = [];
  const errors: string[] = [];
  const runs: FrameRun[] = [];
  let current = null as FrameRun | null;
  const paths: string[] = [];
  let isFenced = false;
  let isEnvironment = false;
  let isAfterFrame = false;
  let called = null as string | null;
  let isCause = false;
  for (const [i, dated] of lines.entries()) {
    const line = dated.replace(timestamp, "");
    if (i < first) continue;
    if (i === first && hasTitle) {
      if (errorLine.test(line)) errors.push(line.trim());
      continue;
    }
    if (fence.test(line)) {
      // A fence that also closes in its line is code in a sentence.
      if (!/^\s*(`{3,}).+\1/.test(line)) isFenced = !isFenced;
      continue;
    }
    if (line.trim() === "" || underline.test(line) || traceHead.test(line) || marks.test(line)) continue;
    const frame = readFrame(line);
    if (frame !== null) {
      const { isInnermostFirst, ...found } = frame;
      found.name ??= called;
      called = null;
      if (current?.isInnermostFirst !== isInnermostFirst || isCause) {
        current = { frames: [], isInnermostFirst };
        // What caused an error is nearer to its place.
        if (isCause) runs.unshift(current);
        else runs.push(current);
        isCause = false;
      }
      current.frames.push(found);
      isAfterFrame = true;
      continue;
    }
    const call = matchCall(line, lines[i + 1]);
    if (call !== null) {
      called = call.name;
      continue;
    }
    if (errorLine.test(line)) {
      errors.push(line.trim().replace(cause, ""));
      isCause = cause.test(line) && runs.length > 0;
      isAfterFrame = false;
      continue;
    }
    const isHeading = !isFenced && (heading.test(line) || underline.test(lines[i + 1] ?? ""));
    if (isHeading) {
      isEnvironment = environment.test(line.replace(/[#*_]/g, ""));
      continue;
    }
    if (isFenced || prompt.test(line) || indented.test(line) || looksLikeCode.test(line)) {
      // The line of code below a frame is that of a caller, but for the last.
      if (!isEnvironment || !version.test(line)) code.push(line);
      isAfterFrame = false;
      continue;
    }
    if (isAfterFrame && line.startsWith("  ")) {
      code.push(line);
      continue;
    }
    isAfterFrame = false;
    if (isEnvironment || checkbox.test(line) || version.test(line)) continue;
    prose.push(line.trim());
  }
  const title = cleanTitle(hasTitle ? lines[first]! : (errors.at(-1) ?? prose.shift() ?? ""));
  const told = prose.join("\n");
  for (const part of [title, told, ...code, ...errors])
    for (const [path] of part.replace(blob, " ").replace(link, " ").matchAll(pathInText)) paths.push(path);
  const frames = runs.flatMap((run) => (run.isInnermostFirst ? run.frames : run.frames.toReversed()));
  return {
    title,
    prose: told.replace(link, " ").trim(),
    code: code.join("\n"),
    errors: [...new Set(errors)],
    frames,
    paths: [...new Set(paths)],
  };
}

/** A report in short, its most telling parts first: for what looks at the first words of a text alone. */
export function condenseReport({ title, prose, errors, frames, paths }: Report): string {
  const places = frames.map(({ path, name }) => `${path.slice(path.lastIndexOf("/") + 1)} ${name ?? ""}`);
  return [title, ...errors, ...places, ...paths, prose].join("\n");
}
