import { PommelError } from "../errors.ts";

/** That a file of somebody else's cannot be edited; it is left as it is. */
export function refusal(where: string, what: string): PommelError {
  return new PommelError(
    "settings_invalid",
    `${where} ${what}; the file was left as it is.`,
    "Fix the file, then run the command again. The agent cannot read it either.",
  );
}
