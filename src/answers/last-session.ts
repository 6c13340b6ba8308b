import type { Project } from "../base/paths.ts";
import { listSessions } from "../store/memory/sessions/sessions.ts";
import { withMemory } from "./open.ts";

/** When the latest session was last active; null without one. Milliseconds. @throws PommelError as `withMemory` */
export const readLastSessionTime = (project: Project): Promise<number | null> =>
  withMemory(project, (memory) => listSessions(memory, { limit: 1 })[0]?.lastAt ?? null);
