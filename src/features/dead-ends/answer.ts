import type { Subjects } from "../../answers/operation.ts";
import { tokenize } from "../../base/text/tokens.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { byTime, findSaid, findTraced } from "./find-dead-ends.ts";
import type { DeadEnd, DeadEndsAnswer, DeadEndsRequest } from "./operation.ts";
import { areDeadEndsChecked } from "./ready.ts";

const listedByDefault = 20;
/** The share of the words that are asked for that a dead end has at least. */
const minShare = 0.6;

export async function listDeadEnds(
  { project, memory }: Subjects["memory"],
  { about = "", kind, file, limit = listedByDefault }: DeadEndsRequest,
): Promise<DeadEndsAnswer> {
  const all = await findAll(memory, await listProjectRoots(project.root));
  const found = all
    .filter((one) => kind === undefined || kind.includes(one.kind))
    .filter((one) => file === undefined || one.path === file || one.path?.startsWith(`${file}/`) === true)
    .filter((one) => about === "" || isAbout(one, about));
  return {
    dead_ends: found.slice(0, limit),
    total: found.length,
    sessions: listSessions(memory, { shared: false, remembered: true }).length,
    is_checked: areDeadEndsChecked(project),
  };
}

async function findAll(memory: Memory, roots: readonly string[]): Promise<DeadEnd[]> {
  const traced = await findTraced(memory, roots);
  const reasons = new Set(traced.map(({ reason }) => reason));
  // What is a change's reason stands there.
  const said = findSaid(memory).filter(({ tried }) => !reasons.has(tried[0]!));
  return [...traced.map(({ traces: _, knownIn: __, ...end }): DeadEnd => end), ...said].sort(byTime);
}

/** Whether it has most of the words. */
export function isAbout({ tried, path, error, reason, instead }: DeadEnd, about: string): boolean {
  const asked = [...new Set(tokenize(about))];
  const words = new Set(tokenize([...tried, path, error, reason, instead].join(" ")));
  return asked.length > 0 && asked.filter((word) => words.has(word)).length >= minShare * asked.length;
}
