import { PommelError } from "../errors.ts";

/** That a file of somebody else's cannot be edited; it is left as it is. */
export function refusal(where: string, what: string): PommelError {
  return new PommelError(
    "settings_invalid",
    `${where} ${what}; the file was left as it is.`,
    "Correct it there, then run the command again. An agent does not read settings that are not valid, either.",
  );
}
