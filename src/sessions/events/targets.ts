import { codeOf, PommelError } from "../../project/errors.ts";
import { findCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink } from "../../store/memory/memory-records.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";

/** The target of a link from an event. */
export type EventTarget = Pick<EventLink, "kind" | "targetUid">;

/**
 * The session or the checkpoint that a person means: an id, a commit's hash, or the beginning of one of them.
 * @param kind where only one of both can be meant
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export function findTarget(memory: Memory, name: string, kind: EventLink["kind"] | null = null): EventTarget {
  const session = kind === "checkpoint" ? null : attempt(() => findSession(memory, name).uid);
  const checkpoint = kind === "session" ? null : attempt(() => findCheckpoint(memory, name).uid);
  const found = [
    session?.uid ? [{ kind: "session" as const, targetUid: session.uid }] : [],
    checkpoint?.uid ? [{ kind: "checkpoint" as const, targetUid: checkpoint.uid }] : [],
  ].flat();
  // A full id is an exact match, even if other ids begin with it.
  const exact = found.filter(({ targetUid }) => targetUid === name);
  const [only, ...others] = exact.length === 1 ? exact : found;
  if (only && others.length === 0) return only;
  if (only) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(name)} could be a session or a checkpoint.`,
      "Use a longer prefix.",
    );
  }
  const errors = [session?.error, checkpoint?.error];
  const unclear = errors.find((error) => error && codeOf(error) !== "not_found");
  if (unclear) throw unclear;
  if (kind !== null) throw errors.find((error) => error);
  throw new PommelError(
    "not_found",
    `No session or checkpoint ${JSON.stringify(name)}.`,
    "`pm session list` and `pm checkpoint list` list them.",
  );
}

function attempt(find: () => string): { uid: string; error: null } | { uid: null; error: unknown } {
  try {
    return { uid: find(), error: null };
  } catch (error) {
    return { uid: null, error };
  }
}
