import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findNamedFile, readEditedLines, toRootRelative } from "../../agents/reading/call-input.ts";
import { type ReadyPart, readGivenRefs } from "../../protocol/ready-context.ts";
import type { AgentCall, HookPart } from "../hook-parts.ts";
import { areSameLines, type DeadEndTrace, isSameCall, isSamePath, readCommands } from "./match.ts";

/** A dead end, as hooks need it. */
export interface ReadyDeadEnd {
  id: string;
  /** What an agent reads. */
  text: string;
  traces: DeadEndTrace[];
  /** Sessions that took it back themselves, and may have reasons to go to and fro. */
  knownIn: string[];
}

export interface ReadyDeadEnds extends ReadyPart {
  ends: ReadyDeadEnd[];
}

/** Dead ends, told before the same is tried again: once in a session, and it is only a reminder. */
export const deadEndsInHooks: HookPart = {
  beforeCall(ready, call) {
    const { root, ends } = ready as ReadyDeadEnds;
    const told = new Set(readGivenRefs(call.session));
    const made = readCall(root, call);
    const end = ends.find(
      ({ id, traces, knownIn }) =>
        !told.has(`dead-end:${id}`) &&
        !knownIn.includes(call.session) &&
        traces.some((trace) => isSame(trace, made) && !isThereNow(trace, call.cwd)),
    );
    if (end === undefined) return null;
    return {
      text: `- ${end.text}`,
      decision: null,
      items: [{ ref: `dead-end:${end.id}`, why: "the same was tried before, and dropped" }],
    };
  },
};

/** What was not there may have come. */
const isThereNow = (trace: DeadEndTrace, cwd: string): boolean =>
  trace.kind === "path" && existsSync(resolve(cwd, trace.first));

interface ReadCall {
  commands: ReturnType<typeof readCommands>;
  /** Where it runs, and the file that it changes, from the root; null: outside, or none. */
  directory: string | null;
  file: string | null;
  added: string[];
}

export function isSame(trace: DeadEndTrace, { commands, directory, file, added }: ReadCall): boolean {
  switch (trace.kind) {
    case "lines":
      return file === trace.path && areSameLines(trace, added);
    case "path":
      return isSamePath(trace, commands, directory);
    default:
      return isSameCall(trace, commands, directory);
  }
}

/** A call as agents make it, as far as dead ends are about it. */
export function readCall(root: string, { input, cwd }: Pick<AgentCall, "input" | "cwd">): ReadCall {
  const { before, written } = readEditedLines(input);
  const replaced = new Set(before.map((line) => line.trim()));
  const added = written.filter((line) => !replaced.has(line.trim()));
  const named = findNamedFile(input);
  const isEdit = added.length > 0 && named !== null;
  return {
    commands: typeof input.command === "string" && !isEdit ? readCommands(input.command) : [],
    directory: toRootRelative(root, ".", cwd),
    file: isEdit ? toRootRelative(root, named, cwd) : null,
    added,
  };
}
