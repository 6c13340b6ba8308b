/**
 * Stored paths: relative to the project's root with slashes, in whatever form they were written, so that a file touched
 * in one worktree is found from another.
 */

export interface SessionPlaces {
  /** The project's root: of the main worktree. */
  root: string;
  /** Roots of its other worktrees. */
  worktrees: readonly string[];
  /** Where the session was launched; on another machine, or before the project was moved, outside of all of them. */
  cwd: string;
}

/** Where tools put worktrees inside a project; git does not list removed ones. */
const worktreeInside = /^(?:\.worktrees|\.claude\/worktrees)\/[^/]+\/(?=.)/;
const worktreeBelow = /\/(?:\.worktrees|\.claude\/worktrees)\/[^/]+(?:\/.*)?$/;

/** Whether a path is absolute and of Windows, where a backslash separates. */
const ofWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** With slashes, without `.` and `..` and double slashes, with a drive letter in upper case. */
function normalisePath(path: string): string {
  const slashed = ofWindows.test(path) ? path.replaceAll("\\", "/") : path;
  const lead = /^(?:\/{0,2}[A-Za-z]:)?\/*/.exec(slashed)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of slashed.slice(lead.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || lead === "") parts.push(part);
  }
  return lead.replace(/^[a-z](?=:)/, (letter) => letter.toUpperCase()) + parts.join("/");
}

/** Of any system: sessions are shared between machines. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || ofWindows.test(path);

/** `path` relative to `folder`; null if it is not inside; "" for the folder itself. */
function relativeInside(path: string, folder: string): string | null {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  const starts =
    path.startsWith(prefix) ||
    (ofWindows.test(folder) && path.toLowerCase().startsWith(prefix.toLowerCase()));
  return starts ? path.slice(prefix.length) : null;
}

/**
 * Gives a function from a path as an agent wrote it to the path that is stored: relative to the worktree that it is
 * in; of a session that was recorded elsewhere relative to where it was launched; else absolute, as it was.
 */
export function createRelativizer({ root, worktrees, cwd }: SessionPlaces): (path: string) => string {
  // A worktree may be inside another: the longest first.
  const roots = [root, ...worktrees]
    .filter((path) => path !== "")
    .map(normalisePath)
    .sort((a, b) => b.length - a.length);
  const launched = normalisePath(cwd);
  const isForeign = launched !== "" && roots.every((each) => relativeInside(launched, each) === null);
  if (isForeign) roots.push(launched, launched.replace(worktreeBelow, ""));
  const known = new Map<string, string>();

  function relativizePath(path: string): string {
    const absolute = isAbsolute(path)
      ? normalisePath(path)
      : isForeign || cwd === ""
        ? null
        : normalisePath(`${cwd}/${path}`);
    if (absolute === null) return normalisePath(path);
    for (const each of roots) {
      const found = relativeInside(absolute, each);
      if (found !== null && found !== "") return found.replace(worktreeInside, "");
    }
    return path;
  }

  return (path) => {
    let found = known.get(path);
    if (found === undefined) {
      found = relativizePath(path);
      known.set(path, found);
    }
    return found;
  };
}
