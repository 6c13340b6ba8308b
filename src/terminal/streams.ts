import { fstatSync } from "node:fs";
import { getErrorCode } from "../base/errors.ts";

/** Where a command's output goes: to this process's own streams, or to those of the `pm` for which a daemon runs the command. */
export interface Streams {
  write(fd: 1 | 2, text: string): void;
  /** Writes a result to stdout, through a pager if it does not fit on the screen. */
  show(text: string): void;
  /** Whether output to `fd` may have colours, unless the command line says otherwise. */
  hasColor(fd: 1 | 2): boolean;
  /** Whether stdout's terminal opens links. */
  readonly hasLinks: boolean;
  /** The terminal's width; undefined if stdout is not a terminal. */
  readonly columns: number | undefined;
}

/**
 * Removes everything that could do more to a terminal than colour it. Views also replace what would shift their columns
 * (`toPrintable`).
 * @param isColored whether the text contains Pommel's own colours and links, which stay
 */
export function neutralizeControls(text: string, isColored: boolean): string {
  return text.replace(isColored ? allButStyles : controls, (found, style?: string) =>
    typeof style === "string" ? style : found === "\r" ? "" : "·",
  );
}

/** Controls, what shows code in another order than it runs (U+202E), and letters that only a model reads (U+E0000). */
const controls =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
const allButStyles = new RegExp(
  `(\\u001b\\[[\\d;]*m|\\u001b\\]8;[^\\u0000-\\u001f\\u007f-\\u009f]*\\u0007)|${controls.source}`,
  "gu",
);

/** Results held back until the command ends: only then is it known whether they need a pager. */
let held = "";

export const ownStreams: Streams = {
  write(fd, text) {
    if (fd === 1 && held !== "") held += text;
    else (fd === 1 ? process.stdout : process.stderr).write(text);
  },
  show(text) {
    if (process.stdout.isTTY === true) held += text;
    else process.stdout.write(text);
  },
  hasColor: (fd) => shouldColor(fd),
  get hasLinks() {
    return shouldLink();
  },
  get columns() {
    return process.stdout.columns;
  },
};

/** Prints the results that are held back. */
export async function showHeld(args: readonly string[]): Promise<void> {
  const text = held;
  held = "";
  if (text !== "" && !(await showInPager(text, args))) process.stdout.write(text);
}

/**
 * Shows a text in the reader's pager if it is longer than the screen.
 * @returns false: it is not shown
 */
export async function showInPager(text: string, args: readonly string[]): Promise<boolean> {
  const { rows, columns } = process.stdout;
  if (args.includes("--no-pager") || args.includes("--json") || !isLonger(text, rows, columns)) return false;
  return (await import("./pager.ts")).displayInPager(text);
}

/** An estimate: wide characters count as one column, so at worst the choice of a pager is wrong. */
function isLonger(text: string, rows: number, columns: number): boolean {
  let lines = 0;
  for (const line of text.split("\n")) {
    lines += 1 + Math.floor(Math.max(line.replace(/\u001b[[\]].*?[m\u0007]/g, "").length - 1, 0) / columns);
    // The prompt needs a line as well.
    if (lines > rows) return true;
  }
  return false;
}

/** Ends this process when its reader closes the pipe, as in `pm search x | head`. */
export function leaveOnClosedPipe(): void {
  process.stdout.on("error", (error) => {
    if (getErrorCode(error) === "EPIPE") process.exit(0);
    throw error;
  });
}

/**
 * Whether to colour what is written to file descriptor `fd`: NO_COLOR, then FORCE_COLOR decide, else whether it is a
 * terminal. (picocolors alone would also colour pipes when CI is set.)
 */
export function shouldColor(fd: 1 | 2, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return isTerminal(fd) && env.TERM !== "dumb";
}

/** Whether stdout is a terminal that opens links. A pipe never gets any. */
export function shouldLink(env: NodeJS.ProcessEnv = process.env): boolean {
  return isTerminal(1) && shouldColor(1, env) && canOpenLinks(env);
}

/**
 * Whether a terminal opens links (OSC 8), judged by its environment variables: a terminal that does not know them may print
 * garbage. The rules come from the package supports-hyperlinks, as far as they still apply.
 */
export function canOpenLinks(env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_HYPERLINK) return env.FORCE_HYPERLINK !== "0" && env.FORCE_HYPERLINK !== "false";
  if (env.CI || env.TEAMCITY_VERSION || env.TERM === "dumb") return false;
  if (env.WT_SESSION || env.KONSOLE_VERSION || env.DOMTERM) return true;
  if (/^(?:xterm-kitty|xterm-ghostty|alacritty.*|foot.*|wezterm)$/.test(env.TERM ?? "")) return true;
  // VTE 0.50.0 crashes on links.
  if (Number(env.VTE_VERSION) > 5000) return true;
  const [major = 0, minor = 0] = (env.TERM_PROGRAM_VERSION ?? "").split(".").map(Number);
  switch (env.TERM_PROGRAM) {
    case "iTerm.app":
      return major > 3 || (major === 3 && minor >= 1);
    case "vscode":
      return major > 1 || (major === 1 && minor >= 72) || env.CURSOR_TRACE_ID !== undefined;
    case "WezTerm":
    case "ghostty":
    case "zed":
    case "Tabby":
    case "rio":
      return true;
    default:
      return false;
  }
}

/** Loads the terminal's module, which costs a millisecond, only if `fd` is a character device. */
export function isTerminal(fd: 1 | 2): boolean {
  return fstatSync(fd).isCharacterDevice() && (fd === 1 ? process.stdout : process.stderr).isTTY === true;
}
