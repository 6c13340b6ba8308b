import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type * as z from "zod/mini";
import { PommelError } from "../../../project/errors.ts";
import { type LineRange, locate, parsePlace } from "../../../queries/blame/file-place.ts";
import type { WhyOutput, whyInput } from "../../shapes/shapes-git.ts";
import { offsetOf } from "../../text/budget.ts";
import { ask, type CallContext, type Handler } from "../../tool.ts";

export const why: Handler<typeof whyInput, WhyOutput> = async (args, context) => {
  const offset = offsetOf("why", args, args.cursor);
  const { file, lines } = placeOf(args, context);
  const rev = args.revision;
  if (lines === null) {
    const { wholeFile } = await import("./why-file.ts");
    return wholeFile(await ask(context, "blame", { file, rev }), args, offset);
  }
  const { theLines } = await import("./why-lines.ts");
  const request = { file, first_line: lines.first, last_line: lines.last, rev };
  return theLines(await ask(context, "why", request), args);
};

/**
 * The file from the project's root, and the lines of it that are meant.
 * @throws PommelError `usage`
 */
function placeOf(
  { file, first_line, last_line }: z.infer<typeof whyInput>,
  { project, cwd }: CallContext,
): { file: string; lines: LineRange | null } {
  const named =
    first_line === undefined
      ? parsePlace(file, (name) => [cwd, project.root].some((dir) => existsSync(resolve(dir, name))))
      : { file, lines: { first: first_line, last: last_line ?? first_line } };
  if (named.lines === null && last_line !== undefined) {
    throw new PommelError("usage", "first_line is missing.", "Give first_line and last_line, or neither.");
  }
  if (named.lines !== null && named.lines.last < named.lines.first) {
    throw new PommelError("usage", "last_line is before first_line.", "Lines start at 1.");
  }
  return { file: locate(project, cwd, named.file), lines: named.lines };
}
