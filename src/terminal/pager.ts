import { spawnSync } from "node:child_process";
import { findProgram, findUserCommand } from "../base/find-program.ts";
import { withoutLinks } from "../base/text/display-width.ts";

/** The first version of less that shows links. Older ones print garbage instead. */
const lessWithLinks = 566;

/**
 * The pager's command line, chosen as git does: `$POMMEL_PAGER`, `$PAGER`, less.
 * @returns null: the user wants no pager
 */
export function choosePager(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | null {
  // Windows comes without one that shows colours.
  const pager = env.POMMEL_PAGER ?? env.PAGER ?? (platform === "win32" ? "" : "less");
  return ["", "cat"].includes(pager.trim()) ? null : pager;
}

/**
 * Shows a text in the pager until the reader leaves it.
 * @returns false if there is no pager, or if it does not start
 */
export function displayInPager(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const pager = choosePager(env);
  const program = pager === null ? null : findUserCommand(pager, [], env);
  if (pager === null || program === null) return false;
  const [file, ...args] = program;
  // Ctrl-C is for the pager, which does not end by it, so this process must not either.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const { status } = spawnSync(file, args, {
      input: canShowLinks(pager) ? text : withoutLinks(text),
      stdio: ["pipe", "inherit", "inherit"],
      // git's own settings: quit if the text fits on one screen, show colours, leave the text on the screen.
      env: { LESS: "FRX", LV: "-c", ...env },
    });
    // The shell's codes for what it cannot run or find.
    return status !== 126 && status !== 127;
  } finally {
    process.off("SIGINT", ignore);
  }
}

function canShowLinks(pager: string): boolean {
  const [name] = /^(?:\S*\/)?less(?=\s|$)/.exec(pager.trim()) ?? [];
  const program = name === undefined ? null : findProgram(name);
  if (program === null) return false;
  const { stdout } = spawnSync(program[0], ["--version"], { encoding: "utf8" });
  return Number(/^less (\d+)/.exec(stdout ?? "")?.[1]) >= lessWithLinks;
}
