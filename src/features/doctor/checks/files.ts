import {
  chmodSync,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { getErrorMessage } from "../../../base/errors.ts";
import {
  describeUser,
  findWriteObstacle,
  formatMode,
  listHomeDirectories,
  locateCompiledCode,
  measureFreeBytes,
} from "../../../base/home.ts";
import { isInside } from "../../../base/paths.ts";
import { formatBytes } from "../../../base/text/bytes.ts";
import { formatCount } from "../../../base/text/counted.ts";
import { locateVault } from "../../../store/vault/vault.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

const othersMayRead = 0o077;

/** Below this the index cannot grow; below the other it soon cannot. Bytes. */
const tooLittleSpace = 50_000_000;
const littleSpace = 500_000_000;

/** Directories that are never watched. */
const unwatched = new Set([".git", ".pommel", "node_modules"]);
/** Enough to know: the default limit of most systems is lower. */
const maxDirectories = 1_000_000;

/** The home can be written, and all in it is this user's. */
export function checkHome(): CheckResult {
  const dirs = [...new Set(listHomeDirectories())];
  for (const dir of dirs) {
    const obstacle = findWriteObstacle(dir);
    if (obstacle !== null) return fail(obstacle.message, obstacle.hint);
  }
  const us = process.getuid?.();
  // Root reads and writes what belongs to anybody.
  const foreign = us ? dirs.flatMap(listPathsBelow).filter(({ stat }) => stat.uid !== us) : [];
  const [first] = foreign;
  if (!first) return ok("the home can be written");
  const which = foreign.length === 1 ? first.path : `${first.path} and ${foreign.length - 1} more`;
  return fail(
    `${which} belongs to ${describeUser(first.stat.uid)}, with mode ${formatMode(first.stat)}.`,
    `Run \`sudo chown -R ${us} ${dirs.filter((dir) => foreign.some(({ path }) => isInside(path, dir))).join(" ")}\`.`,
  );
}

/**
 * Everything in the home is its owner's alone, 0700 and 0600, and no directory is in the way of a file. With `fix`, makes it
 * private. What Node compiled has the modes that Node gives it, and what the vault holds may be a client's own file by another name: both are
 * in directories that others cannot enter.
 */
export function checkPermissions(fix: boolean): CheckResult {
  if (process.platform === "win32") return ok("Windows manages file permissions");
  const [compiled, vault] = [locateCompiledCode(), locateVault()];
  const paths = [...new Set(listHomeDirectories())]
    .flatMap(listPathsBelow)
    .filter(({ path, stat }) => !isInside(path, compiled) && !(isInside(path, vault) && stat.isFile()));
  const inTheWay = paths.find(({ path, stat }) => !stat.isFile() && isFileName(path));
  if (inTheWay) {
    const what = inTheWay.stat.isDirectory() ? "a directory" : "a broken link";
    return fail(
      `${inTheWay.path} is ${what}, where a file should be.`,
      "Move it away: the file is made again.",
    );
  }
  const open = paths
    .filter(({ stat }) => !stat.isSymbolicLink() && (stat.mode & othersMayRead) !== 0)
    .map(({ path }) => path);
  if (open.length === 0) return ok("what Pommel stores is readable by you only");
  const which = open.length === 1 ? open[0] : `${open[0]} and ${open.length - 1} more`;
  if (!fix) {
    return warn(
      `Other users can read ${which}: the index holds your code, daemon.json the daemon's token.`,
      "Run `pm doctor --fix`.",
    );
  }
  try {
    for (const path of open) chmodSync(path, lstatSync(path).mode & 0o700);
  } catch (error) {
    return fail(
      `The permissions of ${which} cannot be changed: ${getErrorMessage(error)}`,
      "Check its owner and permissions.",
    );
  }
  return ok(`made private: ${which}`);
}

/** The names of what Pommel keeps in files. */
const isFileName = (path: string): boolean => /\.(?:json|toml|db|jsonl|log|lock)$/.test(path);

function listPathsBelow(dir: string): { path: string; stat: Stats }[] {
  const paths: ReturnType<typeof listPathsBelow> = [];
  const visit = (path: string) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // The daemon's files come and go; links are not followed out of it.
    if (!stat || (stat.isSymbolicLink() && existsSync(path))) return;
    paths.push({ path, stat });
    if (stat.isDirectory()) for (const entry of listEntries(path)) visit(join(path, entry.name));
  };
  visit(dir);
  return paths;
}

/** Room for the index to grow. */
export function checkDisk(dir: string): CheckResult {
  const free = measureFreeBytes(dir);
  if (free >= littleSpace) return ok(`${formatBytes(free)} free on the disk`);
  const message = `Only ${formatBytes(free)} are free on the disk of ${dir}.`;
  const hint = "Free some space: changes cannot be indexed without it.";
  return free < tooLittleSpace ? fail(message, hint) : warn(message, hint);
}

/** Linux watches directory by directory, up to a limit that all programs of a user share. */
export function checkWatches(root: string, limitFile: string): CheckResult {
  let limit: number;
  try {
    limit = Number(readFileSync(limitFile, "utf8"));
  } catch {
    return ok("this system has no limit on watched directories");
  }
  const directories = countDirectories(root);
  const watched = formatCount(directories, "directory", "directories");
  const counts = `${watched}, the system watches up to ${limit}`;
  if (directories <= limit / 2) return ok(counts);
  const hint = `Raise the limit: \`sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, directories * 4)}\`; until then, Pommel may poll for changes.`;
  return warn(`${counts}, for all programs together.`, hint);
}

function countDirectories(root: string): number {
  const waiting = [root];
  let count = 0;
  for (let dir = waiting.pop(); dir !== undefined && count < maxDirectories; dir = waiting.pop()) {
    count++;
    for (const entry of listEntries(dir)) {
      if (entry.isDirectory() && !unwatched.has(entry.name)) waiting.push(join(dir, entry.name));
    }
  }
  return count;
}

function listEntries(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}
