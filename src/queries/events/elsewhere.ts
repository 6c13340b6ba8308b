import { existsSync } from "node:fs";
import { codeOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { EventAnswer } from "../../protocol/operations/events.ts";
import { type EventTarget, findTarget } from "../../sessions/events/targets.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink } from "../../store/memory/memory-records.ts";
import { withMemory } from "../open.ts";
import { listProjects } from "../projects/known-projects.ts";
import { checkpointView, eventIn, linesOf, sessionView, summed } from "./members.ts";

/** What events hold of other projects: their memories are read one after the other, until nothing is missing. */

async function readOthers(project: Project, read: (memory: Memory, root: string) => boolean): Promise<void> {
  for (const { id, project: other } of listProjects()) {
    if (id === project.id || !existsSync(other.memoryDb)) continue;
    // One that cannot be read is as good as one without it.
    const isDone = await withMemory(other, (memory) => read(memory, other.root)).catch(() => false);
    if (isDone) return;
  }
}

/**
 * The sessions and checkpoints of other projects that names mean, by name. Those that none has, and that several things of
 * one project could mean, are missing.
 */
export async function targetsElsewhere(
  project: Project,
  names: readonly string[],
  kind: EventLink["kind"] | null,
): Promise<Map<string, EventTarget>> {
  const found = new Map<string, EventTarget>();
  if (names.length === 0) return found;
  await readOthers(project, (memory) => {
    for (const name of names) {
      const target = found.get(name) ?? targetIn(memory, name, kind);
      if (target !== null) found.set(name, target);
    }
    return found.size === new Set(names).size;
  });
  return found;
}

/** null where the memory has none, and where the name could mean several. */
export function targetIn(memory: Memory, name: string, kind: EventLink["kind"] | null): EventTarget | null {
  try {
    return findTarget(memory, name, kind);
  } catch (error) {
    if (codeOf(error) === "not_found" || codeOf(error) === "usage") return null;
    throw error;
  }
}

/**
 * An event with all that it holds, in whichever project it was recorded.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export async function showEvent(project: Project, name: string): Promise<EventAnswer> {
  const answer = await withMemory(project, (memory) => eventIn(memory, name));
  let { sessions, checkpoints, lines } = answer;
  const isMissing = () => [...sessions, ...checkpoints].some(({ is_known }) => !is_known);
  if (!isMissing()) return answer;
  await readOthers(project, (memory, root) => {
    const found: Pick<EventAnswer, "sessions" | "checkpoints"> = { sessions: [], checkpoints: [] };
    sessions = sessions.map((one) => {
      const view = one.is_known ? null : sessionView(memory, one.id);
      if (!view?.is_known) return one;
      const session = { ...one, ...view, project: root };
      found.sessions.push(session);
      return session;
    });
    checkpoints = checkpoints.map((one) => {
      const view = one.is_known ? null : checkpointView(memory, one.id);
      if (!view?.is_known) return one;
      const checkpoint = { ...one, ...view, project: root };
      found.checkpoints.push(checkpoint);
      return checkpoint;
    });
    lines = linesOf(memory, found, lines);
    return !isMissing();
  });
  return { event: answer.event, ...summed({ sessions, checkpoints }), lines };
}
