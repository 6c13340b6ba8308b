import { agentNamed } from "../agents/registry.ts";
import type { AttributionBasis } from "../protocol/values.ts";
import type { Memory } from "../store/memory/memory.ts";
import { firstSession } from "../store/memory/sessions/turn-lookup.ts";
import { mayBeAgents } from "./lines/verdict.ts";

const dayMs = 86_400_000;
/** A client deletes when it starts, so a session may be this much older than its limit. Milliseconds. */
const marginMs = 3 * dayMs;

/** Since when agents are known to have worked in a project. */
interface AgentsSince {
  first_session_at: string;
  session_id: string;
  may_be_incomplete: boolean;
  deleted_after_days: number | null;
}

/**
 * Since when agents are known to have worked in a project; null without a session. Earlier sessions may be missing
 * where the first one was read when its client was about to delete it: those before it were gone by then.
 * @param root of the project, whose settings of the client count
 */
export function agentsSince(memory: Memory, root: string): (AgentsSince & { at: number }) | null {
  const first = firstSession(memory);
  if (first === null) return null;
  const days = agentNamed(first.agent)?.retention?.(root)?.days ?? null;
  const isRead = first.readAt !== null;
  return {
    at: first.startedAt,
    first_session_at: new Date(first.startedAt).toISOString(),
    session_id: first.uid,
    may_be_incomplete:
      days !== null && (!isRead || first.readAt! - first.startedAt >= days * dayMs - marginMs),
    deleted_after_days: days,
  };
}

/** What is known of a commit that may be from before agents. */
interface CommitOfThen {
  /** Milliseconds since the epoch. */
  authoredAt: number;
  /** A session led to it: then it is no older than that, whatever the clocks say. */
  hasSession: boolean;
}

/**
 * Whether the unknown lines of a commit are from before agents: it is older than the first session.
 * @param basis what they are unknown for: lines that may be an agent's are not
 * @param first when the first session began; milliseconds since the epoch
 */
export const isBeforeAgents = (
  { authoredAt, hasSession }: CommitOfThen,
  basis: AttributionBasis | null,
  first: number,
): boolean => !mayBeAgents(basis) && authoredAt < first && !hasSession;

/** The evidence for lines from before agents, in a sentence. */
export function noteOn({ first_session_at, may_be_incomplete, deleted_after_days }: AgentsSince): string {
  const what = `Before agents: older than the first session here (${first_session_at.slice(0, 10)})`;
  if (!may_be_incomplete) return `${what}.`;
  return `${what}; earlier sessions may be missing, as the client deletes them after ${deleted_after_days} days.`;
}
