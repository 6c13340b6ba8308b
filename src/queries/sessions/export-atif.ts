import { trajectoryOf } from "../../agents/atif/trajectory.ts";
import type { Project } from "../../project/paths.ts";
import { type ScrubText, scrubValue } from "../../redact/scrubber.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { withMemory } from "../open.ts";

/**
 * A stored session as a trajectory of ATIF, scrubbed again. Abandoned branches of the conversation are left out.
 * @throws PommelError `not_found`, `usage` for an ambiguous id; as `withMemory`
 */
export function exportTrajectory(
  project: Project,
  id: string,
  clean: ScrubText,
): Promise<ReturnType<typeof trajectoryOf>> {
  return withMemory(project, (memory) => {
    const session = findSession(memory, id);
    const { uid, agent, cwd, branch, title } = session;
    const lines = linesOf(memory, session.id);
    return scrubValue(trajectoryOf({ id: uid, agent, cwd, branch, title, lines }), clean);
  });
}

function* linesOf(memory: Memory, sessionId: number) {
  for (const { abandoned, lines } of storedTurns(memory, sessionId)) if (!abandoned) yield* lines;
}
