import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { PommelError } from "../base/errors.ts";
import { type Project, toCanonicalPath } from "../base/paths.ts";

/** Lines of a file, inclusive, from 1. */
export interface LineRange {
  first: number;
  /** Infinity: to the end. */
  last: number;
}

/** A file as somebody names it, and the lines of it. */
export interface FilePlace {
  file: string;
  /** null: no line is named. */
  lines: LineRange | null;
}

/** `:12`, `:12-20`, `:12,20`, `:12:5` (a column, as compilers print it), `#L12`, `#L12-L20` (as web pages do). */
const place = /^(?<file>.+?)(?:#L(?<a>\d+)(?:-L?(?<b>\d+))?|:(?<c>\d+)(?:[-,](?<d>\d+)|:\d+)?)$/s;

/**
 * Splits a text like `src/auth.ts:12-20` into file and lines. The file system decides whether the end is part of the
 * file's name: a file that really has that name wins.
 * @throws PommelError `usage` for an invalid range of lines
 */
export function parsePlace(text: string, isFile: (name: string) => boolean = () => false): FilePlace {
  const [, named, line] = /^(.+):(\d+)$/s.exec(text) ?? [];
  if (named !== undefined && !isFile(text) && isFile(named)) {
    return { file: named, lines: makeLineRange(Number(line), Number(line), text) };
  }
  const { file, a, b, c, d } = place.exec(text)?.groups ?? {};
  const first = a ?? c;
  if (file === undefined || first === undefined || isFile(text)) return { file: text, lines: null };
  return { file, lines: makeLineRange(Number(first), Number(b ?? d ?? first), text) };
}

/**
 * Takes the value of `-L` apart: `12`, `12,20`, `12,+9`, `12,`, `,20`, and with a dash for the comma.
 * @throws PommelError `usage`
 */
export function parseLines(text: string): LineRange {
  const [, a, comma, sign, b] = /^(\d*)(?:([,-])(\+?)(\d*))?$/.exec(text.trim()) ?? [];
  const isEmpty =
    a === undefined || (a === "" && (b === undefined || b === "")) || (sign === "+" && b === "");
  if (isEmpty) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(text)} is not a line range.`,
      "Use -L 12,20, -L 12,+9 (nine lines) or -L 12, (to the end).",
    );
  }
  const first = a === "" ? 1 : Number(a);
  if (comma === undefined) return makeLineRange(first, first, text);
  if (b === undefined || b === "") return makeLineRange(first, Number.POSITIVE_INFINITY, text);
  return makeLineRange(first, sign === "+" ? first + Number(b) - 1 : Number(b), text);
}

/**
 * Lines from `a` to `b`, in either order, as git takes them, too.
 * @param text how somebody named them
 * @throws PommelError `usage`
 */
export function makeLineRange(a: number, b: number, text = `${a}-${b}`): LineRange {
  const [first, last] = a <= b ? [a, b] : [b, a];
  if (first < 1 || !Number.isSafeInteger(first)) {
    throw new PommelError("usage", `${JSON.stringify(text)} is not a line.`, "Lines start at 1.");
  }
  return { first, last };
}

/**
 * The path of a file from the project's root, with slashes, as somebody in `cwd` names it; a path from the root is
 * understood as well. It need not exist.
 * @throws PommelError `usage` for a directory, and for what lies outside of the project
 */
export function locate(project: Project, cwd: string, file: string): string {
  const candidates = [resolve(cwd, file), ...(isAbsolute(file) ? [] : [resolve(project.root, file)])];
  const inside = candidates.map((path) => ({ path, fromRoot: toProjectPath(project, path) }));
  const chosen =
    inside.find(({ path, fromRoot }) => fromRoot !== null && existsSync(path)) ??
    inside.find(({ fromRoot }) => fromRoot !== null);
  if (!chosen || chosen.fromRoot === null) {
    throw new PommelError(
      "usage",
      `${file} is outside the project ${project.root}.`,
      "Name a file of this project, or run it in the file's own project: pm -C DIR ...",
    );
  }
  if (chosen.fromRoot === "" || isDirectory(chosen.path)) {
    const path = chosen.fromRoot === "" ? "." : chosen.fromRoot;
    throw new PommelError(
      "usage",
      `${file} is a directory.`,
      `Name a file. For a whole directory: pm code stats --path ${path}`,
    );
  }
  return chosen.fromRoot;
}

function toProjectPath(project: Project, path: string): string | null {
  const named = followLinks(path);
  const fromRoot = relative(project.root, named);
  if (fromRoot === ".." || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot)) return null;
  return fromRoot.split(sep).join("/");
}

/** Follows links in the path, as for the project's root, but not the file itself: git may track it as a link, or it may be gone. */
function followLinks(path: string): string {
  const dir = dirname(path);
  if (dir === path) return path;
  try {
    const itself = join(toCanonicalPath(dir), basename(path));
    // Spelled in upper and lower case as on the disk.
    return lstatSync(itself, { throwIfNoEntry: false })?.isFile() ? toCanonicalPath(itself) : itself;
  } catch {
    return join(followLinks(dir), basename(path));
  }
}

function isDirectory(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // The path is impossible: its name is too long, or a file stands where a directory should.
    return false;
  }
}

/** Paths relative to `cwd`, in their stored form; a path from the root works as well. */
export function toStoredPaths(project: Project, cwd: string, files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const fromRoot = relative(project.root, resolve(cwd, file)).split(sep).join("/");
    const isOutside = fromRoot.startsWith("../");
    const named = isOutside ? resolve(cwd, file) : fromRoot;
    return [...new Set([named === "" ? "**" : named, file.replace(/^(\.\/)+/, "").replace(/\/+$/, "")])];
  });
}

/** A glob for just this path, whatever is in its name. */
export const escapeGlob = (path: string) => path.replace(/[\\*?[\]{}()!+@|]/g, "\\$&");
