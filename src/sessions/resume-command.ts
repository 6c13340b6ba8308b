import { resumeProgram } from "../agents/profiles.ts";
import type { SessionRecord } from "../store/memory/memory-records.ts";

/** A subagent's session is not one to go on with. No id has anything in it that a shell would read otherwise. */
export function buildResumeCommand({ agent, uid, parentId }: SessionRecord): string | null {
  return parentId === null ? (resumeProgram(agent, uid)?.join(" ") ?? null) : null;
}
