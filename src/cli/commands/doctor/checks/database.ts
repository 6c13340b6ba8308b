import { basename } from "node:path";
import type { StoreCheck } from "../../../../queries/upkeep/findings.ts";
import { humanBytes } from "../../../terminal/output.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** Messages about one of Pommel's databases besides the findings. */
interface DatabaseMessages {
  /** It is not there: as good as well, or to be mended. */
  absent: CheckResult;
  /** What to do when it is damaged, and when a newer Pommel wrote it. */
  damaged: string;
  tooNew: string;
}

/** Formats the findings about a database. */
export function databaseResult(
  file: string,
  check: StoreCheck,
  { absent, damaged, tooNew }: DatabaseMessages,
): CheckResult {
  const name = basename(file);
  switch (check.state) {
    case "absent":
      return absent;
    case "sound":
      return ok(`${name} is sound (schema ${check.schema}, ${humanBytes(check.bytes)})`);
    case "older":
      return warn(
        `${name} was written by an older Pommel (schema ${check.schema}).`,
        "Run `pm daemon start`.",
      );
    case "newer":
      return fail(
        `${name} was written by a newer Pommel (schema ${check.schema}; this version supports ${check.known}).`,
        tooNew,
      );
    case "damaged":
      return fail(`${name} is damaged: ${check.why}`, damaged);
    case "unreadable":
      return fail(`${name} cannot be read: ${check.why}`, check.hint ?? "Check who owns the file.");
  }
}

/** Formats the findings about an index on a server. */
export function serverResult(place: string, check: StoreCheck): CheckResult {
  if (check.state === "sound") return ok(`the index is at ${place} (about ${humanBytes(check.bytes)})`);
  if (check.state === "damaged")
    return fail(check.why, "Run `pm daemon reindex`: this project's part is made again.");
  const why = check.state === "unreadable" ? check.why : `The index at ${place} is ${check.state}.`;
  return fail(why, "Until then code is searched by the words of the files on disk.");
}
