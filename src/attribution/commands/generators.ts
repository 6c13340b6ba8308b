import data from "./generators.json" with { type: "json" };

/** What code generators, snapshot tests and scaffolds write: files that their command lines do not name. */

interface Generator {
  command: RegExp;
  /** The names of what it writes, beside those that all generators use. */
  files: RegExp | null;
  /** It writes files of such names alone, new files of any name, or changes others as well. */
  writes: "such" | "new" | "any";
}

/** Directories and names that say of a file that no person wrote it. */
const generated =
  /(?:^|\/)(?:gen|autogen|_?_?generated(?:__)?)\/|[._-](?:gen|generated|autogen)\.[^/]*$|(?:^|\/)zz_generated/;

const generators: readonly Generator[] = data.generators.map((row) => ({
  command: new RegExp(row.command, row.flags),
  files: row.files === undefined ? null : new RegExp(row.files),
  writes: row.writes as Generator["writes"],
}));

/** What generators write at the beginning of their files. */
const mark =
  /@generated|\b(?:auto[- ]?)?generated (?:by|code|file|from)\b|\bauto-?generated\b|\bdo not (?:edit|modify|make direct changes)\b|\bcode generated\b|\bsnapshot v\d/i;
/** Lines. */
const markWithin = 10;

/** Whether a file says of itself that a program wrote it. */
export const isMarkedGenerated = (lines: readonly string[]): boolean =>
  lines.slice(0, markWithin).some((line) => mark.test(line));

/** Where a command is told to put what it makes. */
const outputOption =
  /\s(?:-o|--(?:out(?:put)?(?:[-_]?dir)?|dest|\w+_out))(?:=|\s+)["']?(?:\.\/)?([\w@-][\w@./-]*)/g;

function isOutput(command: string, path: string): boolean {
  return [...command.matchAll(outputOption)].some(([, dir = ""]) =>
    path.startsWith(`${dir.replace(/\/$/, "")}/`),
  );
}

/**
 * Whether a command wrote a new file that it does not name. yes: it is a generator, and the file has a name that such a one
 * gives; maybe: it is one that may write any file.
 */
export function judgeGenerator(command: string, path: string): "yes" | "maybe" | "no" {
  const own = generators.filter((each) => each.command.test(command));
  if (own.length === 0) return "no";
  if (generated.test(path) || isOutput(command, path) || own.some(({ files }) => files?.test(path)))
    return "yes";
  return own.some(({ writes }) => writes !== "such") ? "maybe" : "no";
}

/** Whether a command writes no other files than generated ones. */
export const isGeneratorOnly = (command: string): boolean =>
  generators.some((each) => each.writes !== "any" && each.command.test(command));

/** Whether a command writes files of such names, and no others. */
export const isNamedFileGenerator = (command: string): boolean =>
  generators.some((each) => each.writes === "such" && each.command.test(command));

/** What package managers write: a lock file, which nobody types, and a line in a manifest. */

interface Manager {
  command: RegExp;
  /** The file in which people name packages; null: lines of it are not looked into. */
  manifest: RegExp | null;
  lock: RegExp;
}

const managers: readonly Manager[] = data.managers.map((row) => ({
  command: new RegExp(row.command, row.flags),
  manifest: row.manifest === undefined ? null : new RegExp(row.manifest),
  lock: new RegExp(row.lock),
}));

const getFileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

export const isPackageFile = (path: string): boolean =>
  managers.some(
    ({ lock, manifest }) => lock.test(getFileName(path)) || manifest?.test(getFileName(path)) === true,
  );

/** Whatever manager it calls. */
const installTarget =
  /^\s*(?:make|just|task|mise\s+run)\s+(?:deps|dependencies|install|setup|bootstrap|vendor)(?:\s|$)/;

const installing =
  /^\s*(?:(?:npm|pnpm|yarn|bun)\s+(?:i|in|install|add|ci|un|uninstall|rm|remove|up|update|upgrade|dedupe)|yarn\s*$|cargo\s+(?:add|rm|remove|update)|go\s+(?:get|mod)|(?:poetry|uv|pdm|pixi|pipenv|bundle|composer|pod)\s+(?:add|remove|lock|sync|install|update|require)|pip-compile)(?:\s|$)/;

/** Whether a command only adds, removes or updates packages: then it writes no file of the project but its own. */
export const isInstall = (command: string): boolean =>
  installing.test(command) || installTarget.test(command);

/** Whether one of a command's parts is such. Builds and tests may write a lock file, too, but seldom do. */
export const hasPackageInstall = (command: string): boolean =>
  command.split(/&&|\|\||[;|&\n]/).some((part) => isInstall(part));

/** Whether nobody types a file: package managers write it. */
export const isLockFile = (path: string): boolean =>
  managers.some(({ lock }) => lock.test(getFileName(path)));

/**
 * Whether a command of a package manager wrote such a line.
 * @param bare the line without formatting
 */
export function canInstallLine(command: string, path: string, bare: string): boolean {
  const name = getFileName(path);
  const manager = managers.find((each) => each.lock.test(name) || each.manifest?.test(name));
  if (manager && installTarget.test(command)) return manager.lock.test(name) || bare === "";
  if (!manager?.command.test(command)) return false;
  if (manager.lock.test(name)) return true;
  if (bare === "") return true;
  // In a manifest people write as well: it names what the command installs.
  const words = command.split(/[\s"'=;|&<>()]+/).map((word) => word.replace(/(.)@.*$/, "$1"));
  return words.some((word) => word.length > 2 && !word.startsWith("-") && isEntryOfPackage(bare, word));
}

const isEntryOfPackage = (bare: string, word: string) =>
  bare.startsWith(`"${word}":`) || bare.startsWith(`${word}=`) || bare.startsWith(`${word}v`);
