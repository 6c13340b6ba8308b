import { memoize } from "../../base/text/memoize.ts";
import rules from "./commands.json" with { type: "json" };
import {
  canInstallLine,
  isGeneratorOnly,
  isInstall,
  isNamedFileGenerator,
  isPackageFile,
  judgeGenerator,
} from "./generators.ts";
import { canWriteFiles, withoutHeredocs } from "./shell.ts";

/** What a shell command may write, judged by its words. */

const takesAnother =
  /\b(?:mv|cp|ln|rm|mkdir|git|touch|chmod|rsync|patch|pbpaste|xclip|xsel|wl-paste|unzip|tar|curl|wget|sed|perl|awk|prettier|eslint|biome|gofmt|goimports|black|ruff|rustfmt|fmt|format)\b/;

/** Commands that are taken apart once: each is asked about for each file of each commit near it. */
const maxCommands = 1000;

/** The words of a command's parts that name no other program. */
const makingWords = memoize(
  maxCommands,
  (command) =>
    new Set(
      splitCommandLine(command)
        .filter((part) => !takesAnother.test(part))
        .flatMap((part) => part.split(/[\s"'=<>()]+/).map((word) => word.replace(/^\.\//, ""))),
    ),
);

/** Whether a command makes a file of this path, and neither of another file nor by changing one. */
export const isFileCreation = (command: string, path: string): boolean => makingWords(command).has(path);

/** The files that a command may make, of those that it names. */
export const namedBy = memoize(maxCommands, (command): readonly string[] =>
  splitCommandLine(command)
    .filter((part) => !takesAnother.test(part))
    .flatMap((part) => {
      const isRun = new Set([...part.matchAll(running)].map(([, word]) => word));
      return part
        .split(/[\s"'=<>()]+/)
        .filter((word) => /^[\w@.-]+(?:\/[\w@.-]+)*\.\w+$/.test(word) && !isRun.has(word))
        .map((word) => word.replace(/^\.\//, ""));
    }),
);

/** The commands of a command line, without the texts that it gives to programs which only copy them. */
const splitCommandLine = (command: string): string[] =>
  withoutHeredocs(command, { keeps: "scripts" })
    .replace(/\d?>&\d|&>\s*\/dev\/null|\d?>>?\s*\/dev\/null/g, "")
    .split(/&&|\|\||[;|&\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Programs that put a file where another one was. */
const transferring = /(?:^|[;&|(\n]|\s)(?:mv|cp|install|rsync|ln|dd)\s/;

/** Whether a command puts something that was elsewhere at this path; from where, as far as it says. */
export function findTransferSources(given: string, path: string): string[] | null {
  const command = withoutHeredocs(given, { keeps: "nothing" });
  if (!transferring.test(command)) return null;
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    if (!transferring.test(` ${part}`)) continue;
    const words = part
      .trim()
      .split(/\s+/)
      .slice(1)
      .filter((word) => !word.startsWith("-"));
    const to = (words.at(-1) ?? "").replace(/^["']|["']$/g, "").replace(/^\.\//, "");
    const from = words.slice(0, -1).map((word) => word.replace(/^["']|["']$/g, ""));
    const isInto = from.some((word) => `${to.replace(/\/$/, "")}/${word.split("/").at(-1)}` === path);
    if (from.length > 0 && (to === path || (to !== "" && path.endsWith(`/${to}`)) || isInto)) return from;
  }
  return null;
}

/** Where a command takes the lines of a file from that it puts at a path. */
export interface CopySource {
  /** Of a commit; null: the file as it was in the working tree. */
  revision: string | null;
  path: string;
}

const clipboard = /\b(?:pbpaste|xclip|xsel|wl-paste|Get-Clipboard)\b/;
const takenFromCommit =
  /^git\s+(?:-\S+\s+)*(?:checkout|restore)\s+(?:(?:-\S+|--source)\s+)*(?:--source[= ])?([\w@][\w./~^@{}-]*)?\s*(?:--\s+|\s)(.+)$/;
const printedFromCommit =
  /^git\s+(?:-\S+\s+)*(?:show|cat-file\s+-p)\s+["']?([\w@][\w./~^@{}-]*):([^\s"'>]+)["']?\s*>\s*(\S+)/;
const concatenated = /^cat\s+([^<>|]+?)\s*>>?\s*(\S+)$/;

/** The parts of a command that may copy, which few have: each is asked about for each file. */
const copyingParts = memoize(maxCommands, (command): readonly string[] =>
  splitCommandLine(command).filter(
    (part) =>
      takenFromCommit.test(part) ||
      printedFromCommit.test(part) ||
      concatenated.test(part) ||
      clipboard.test(part) ||
      transferring.test(` ${part}`),
  ),
);

const plainPath = (word: string) => word.replace(/^(["'])(.*)\1$/, "$2").replace(/^\.\//, "");

/**
 * Where a command takes from what it puts at a path, word for word: from files, a commit, the clipboard. Null: it does not.
 * Empty: from somewhere that it does not name.
 */
export function copiesFrom(command: string, path: string): CopySource[] | null {
  const isHere = (word: string) => {
    const named = plainPath(word);
    return named === path || (named.includes(".") && path.endsWith(`/${named}`));
  };
  const parts = copyingParts(command);
  if (parts.length === 0) return null;
  for (const part of parts) {
    const [, revision = null, places = ""] = takenFromCommit.exec(part) ?? [];
    if (
      places
        .split(/\s+/)
        .some((word) => isHere(word) || path.startsWith(`${plainPath(word).replace(/\/$/, "")}/`))
    )
      return [{ revision, path }];
    const [, shown, from = "", to = ""] = printedFromCommit.exec(part) ?? [];
    if (shown !== undefined && isHere(to)) return [{ revision: shown, path: from }];
    const [, inputs = "", output = ""] = concatenated.exec(part) ?? [];
    if (output !== "" && isHere(output))
      return inputs.split(/\s+/).map((word) => ({ revision: null, path: plainPath(word) }));
    if (clipboard.test(part) && />\s*(\S+)/.exec(command)?.slice(1).some(isHere)) return [];
  }
  const from = findTransferSources(command, path);
  return from?.map((source) => resolveCopySource(plainPath(source), path)) ?? null;
}

/** A directory that is copied holds the file under the same name. */
function resolveCopySource(source: string, path: string): CopySource {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isFile = /\.\w+$/.test(source);
  return { revision: null, path: isFile ? source : `${source.replace(/\/?\.?$/, "")}/${name}` };
}

const runners =
  /^(?:npx\s+(?:-\S+\s+)*|pnpm\s+(?:exec\s+|dlx\s+)?|yarn\s+|bunx\s+|uvx\s+|uv\s+run\s+|poetry\s+run\s+|bundle\s+exec\s+|python[\d.]*\s+-m\s+|mise\s+(?:x|exec)\s+(?:--\s+)?|env\s+)*/;
/** Programs that give code another form. */
const formatters = new RegExp(`^(?:${rules.formats.join("|")})(?![\\w-])`);
/** Linters, where they repair what they find. */
const repairing = new RegExp(
  `^(?:${rules.repairs.join("|")})\\b.*\\s(?:--(?:fix|write|apply|autocorrect\\S*|format)|-[aAF]|--unsafe)(?![\\w])`,
);
/** Scripts of a project that are called what they do. */
const formattingScript =
  /^(?:(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:run\s+)?|make\s+(?:-\S+\s+)*|just\s+|task\s+|mise\s+(?:run\s+|r\s+)?|rake\s+|composer\s+(?:run\s+)?|nox\s+-s\s+|(?:ba|z)?sh\s+|\.\/)(?:[\w.-]*\/)*(?:(?:code)?[-_:]?(?:format|fmt|prettier|prettify|tidy|style|beautify)(?:[-_:.]\S*)?|(?:lint|check|style|cs)[-_:]?fix(?:[-_:.]\S*)?|fix[-_:]?(?:lint|format|style)?)(?=\s|$)/;

const givesForm = (given: string): boolean => {
  if (/[^-=]>/.test(given)) return false;
  const part = given.replace(/^(?:\w+=\S*\s+)+/, "");
  const program = part.replace(runners, "");
  return formatters.test(program) || repairing.test(program) || formattingScript.test(part);
};

/** Whether all that a command does to files is that it changes how code looks, and nothing that it says. */
export const isFormatter = memoize(maxCommands, (command: string): boolean => {
  const parts = splitCommandLine(command).filter((part) => canWriteFiles(part) || givesForm(part));
  return parts.length > 0 && parts.every(givesForm);
});

/** Whether a command does nothing but write what is in its text, and what leaves files alone. */
export const isSpelledOut = (command: string): boolean =>
  withoutHeredocs(command, { keeps: "scripts" })
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim())
    .every(
      (part) =>
        part === "" ||
        /^(?:cat|tee|echo|printf|mkdir|cd|git\s+(?:apply|am|add|commit|status|diff)|patch|apply_patch)\b/.test(
          part,
        ),
    );

const restoring =
  /^git\s+(?:-\S+\s+(?:\S+\s+)?)*(?:stash|checkout|switch|restore|reset|pull|merge|rebase|revert|cherry-pick|clean|bisect|worktree)\b/;

/** Whether a command writes, and all of its parts that do are such. */
const createWritesOnlyCheck = (isSuch: (part: string) => boolean): ((command: string) => boolean) =>
  memoize(maxCommands, (command) => {
    const parts = splitCommandLine(command).filter((part) => canWriteFiles(part));
    return parts.length > 0 && parts.every(isSuch);
  });

/** Whether all that a command does to files is that git puts there what somebody had written before. */
export const isRestoring = createWritesOnlyCheck((part) => restoring.test(part));

const renaming = /^(?:git\s+)?mv\s+(?:-\S+\s+)*["']?(?!\.\.)[\w@.]/;

/** Whether all that a command does to files of the project is that it gives them other names: it writes no line. */
export const isRenaming = createWritesOnlyCheck((part) => renaming.test(part));

/** Words of commands that write files without naming them. */
const producing =
  /prettier|eslint|biome|black|ruff|rustfmt|gofmt|goimports|isort|fmt|format|gen|scaffold|init|create|new|fix|lint|migrat|update|upgrade|install|make|build|task|mise|just|snapshot|-u\b|script|stash|checkout|restore|apply|rebase|merge|pull/i;

/**
 * Whether a command wrote a new file that it names nowhere, as far as its programs show: generators, scaffolds, tests that
 * renew their snapshots.
 */
export function judgeGeneration(command: string, path: string): "yes" | "maybe" | "no" {
  const answers = splitCommandLine(command).map((part) => judgeGenerator(part, path));
  return answers.find((one) => one === "yes") ?? answers.find((one) => one === "maybe") ?? "no";
}

/** Whether all that a command writes are files of code generators: it changes none that people wrote. */
export const isGenerator = createWritesOnlyCheck(isGeneratorOnly);

/** Programs that write what they are given, and nothing else. */
const writingGiven =
  /^(?:sed|perl\s+-\S*i|rm|mkdir|rmdir|mv|cp|ln|touch|chmod|cat|tee|echo|printf|git\s+(?:add|mv|rm|commit))\b/;

/** Whether all that a command writes is among what it names: other files are not its. */
export const writesOnlyNamed = createWritesOnlyCheck(
  (part) =>
    isInstall(part) || writingGiven.test(part) || (isFormatter(part) && meantBy(part).named.length > 0),
);

/** Programs that put a patch of somebody into files. */
const patching = /^(?:git\s+(?:-\S+\s+)*(?:apply|am)|patch)\b/;

/** Whether a command only applies a patch that stands elsewhere: whose lines it has, it does not say. */
export const appliesPatch = memoize(maxCommands, (command): boolean => {
  const parts = splitCommandLine(command).filter((part) => canWriteFiles(part) || patching.test(part));
  return parts.length > 0 && parts.every((part) => patching.test(part)) && !command.includes("<<");
});

/** The files whose patches a command applies, as it names them. */
export function listAppliedPatchFiles(command: string): string[] {
  if (!appliesPatch(command)) return [];
  return splitCommandLine(command)
    .filter((part) => patching.test(part))
    .flatMap((part) => part.split(/[\s<]+/).slice(1))
    .map((word) => word.replace(/^(["'])(.*)\1$/, "$2"))
    .filter((word) => /\.(?:patch|diff|mbox|eml)$/.test(word));
}

/** A replacement in files that another command lists. */
const replacingInAll = /\b(?:xargs|for|while|find)\b[\s\S]*\b(?:sed|perl)\s+(?:-\S+\s+)*-[a-zA-Z]*i/;

/** What sed or perl replaces: its slashes are of no path. */
const replacement =
  /(?<=[\s"'])s([/|#,])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1[gimIpe\d]*(?=["'\s]|$)/g;

/** The program of a command, or the file that an interpreter runs. */
const running =
  /(?:^|[;&|\n(])\s*(?:(?:sudo|time|python[\d.]*|node|tsx|bun|deno|run|bash|sh|ruby|perl|php)\s+(?:-\S+\s+)*)*([^\s;&|()]+)/g;

interface Meant {
  text: string;
  /** Its words, as a file's name could be one. */
  words: ReadonlySet<string>;
  /** What looks like a path, or part of one. */
  named: readonly string[];
  /** It may write files that it does not name. */
  isOpen: boolean;
}

const meantBy = memoize(maxCommands, (given): Meant => {
  const command = withoutHeredocs(given, { keeps: "scripts" })
    .split(/(&&|\|\||[;|\n])/)
    .filter((part) => !isInstall(part) && !isNamedFileGenerator(part))
    .join("");
  const text = command.replace(replacement, " ");
  const words =
    text.match(/[\w@.*-]*(?:\/[\w@.*-]+)+\/?|[\w@.-]+\/(?=\s|$)|[\w*-]+\.[A-Za-z]\w{0,5}\b/g) ?? [];
  // What is run is no file that it is run on.
  const isRun = new Set([...command.matchAll(running)].map(([, word]) => word));
  const named = words.filter(
    (word) => !isRun.has(word) && !/(?:^|\/)(?:node_modules|bin|scripts?|tools?)\//.test(word),
  );
  return {
    text: command,
    words: new Set(command.split(/[^\w.@-]+/)),
    named,
    isOpen: named.length === 0 && (producing.test(text) || replacingInAll.test(text)),
  };
});

/** Whether a command names a file, or a part of the tree that it is in. */
export const isAboutPlace = (command: string, path: string): boolean =>
  canConcernFile(command, path) && !meantBy(command).isOpen;

/**
 * Whether a command may be about a file: it names it, a directory above it, or no file at all, as formatters and
 * generators may.
 */
export function canConcernFile(given: string, path: string): boolean {
  // A manager's own files are not named, and it writes no others.
  if (isPackageFile(path) && canInstallLine(given, path, "")) return true;
  if (judgeGeneration(given, path) === "yes") return true;
  const { text, words, named, isOpen } = meantBy(given);
  const name = path.slice(path.lastIndexOf("/") + 1);
  // As a word: data.ts is not a.ts.
  if (/^[\w.@-]+$/.test(name) ? words.has(name) : text.includes(name)) return true;
  if (named.length === 0) return isOpen;
  const extension = /\.\w+$/.exec(path)?.[0] ?? "";
  return named.some((word) => {
    const plain = word
      .replace(/^\.\//, "")
      .replace(/\/?\*.*$/, "")
      .replace(/\/$/, "");
    const folder = word
      .replace(/^(?:\.{1,2}\/)+/, "")
      .replace(/\*.*$/, "")
      .replace(/[^/]*$/, "");
    if (word.includes("*")) return extension !== "" && word.endsWith(extension) && path.includes(folder);
    return word === "./" || (plain !== "" && (path.startsWith(`${plain}/`) || plain === "."));
  });
}
