import { spawnSync } from "node:child_process";
import { findProgram, findUserCommand } from "../base/find-program.ts";
import { withoutLinks } from "../base/text/display-width.ts";

/** The version of less that shows links. Older ones print them as garbage. */
const lessWithLinks = 566;

/**
 * The pager as git chooses it: `$POMMEL_PAGER`, `$PAGER`, less. It is a command line.
 * @returns null: none is wanted
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
 * Shows a text in the pager, until the reader leaves it.
 * @returns false: there is none, or it does not start
 */
export function displayInPager(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const pager = choosePager(env);
  const program = pager === null ? null : findUserCommand(pager, [], env);
  if (pager === null || program === null) return false;
  const [file, ...args] = program;
  // Ctrl-C is for the pager, which stays.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const { status } = spawnSync(file, args, {
      input: canShowLinks(pager) ? text : withoutLinks(text),
      stdio: ["pipe", "inherit", "inherit"],
      // As git sets them: end on a single screen, show colours, leave the text where it is.
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
