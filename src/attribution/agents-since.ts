import { agentDirectories, agentFiles } from "../agents/instruction-files.ts";
import { findRetention } from "../agents/retentions.ts";
import { dayMs } from "../base/text/day.ts";
import type { AttributionBasis } from "../protocol/values.ts";
import { findFirstChange } from "../store/memory/commits/commits.ts";
import type { Memory } from "../store/memory/memory.ts";
import { findFirstSession } from "../store/memory/sessions/turn-lookup.ts";
import { canBeByAgent } from "./lines/verdict.ts";

/** A client deletes when it starts, so a session may be this much older than its limit. Milliseconds. */
const marginMs = 3 * dayMs;

/** Before then nobody could have an agent that writes files. Milliseconds since the epoch. */
const firstAgentsAt = Date.UTC(2023, 3, 1);

/** Since when agents are known to have worked in a project. */
interface AgentsSince {
  first_session_at: string;
  session_id: string;
  may_be_incomplete: boolean;
  deleted_after_days: number | null;
}

export interface KnownAgents extends AgentsSince {
  /** Of the first session, or of the commit that added an older file for agents; where that was there already, of the first agents. */
  at: number;
  /** The file that shows it, where no session does. */
  agentFile: string | null;
}

/**
 * Since when agents are known to have worked in a project; null without a session. Earlier sessions may be missing
 * where the first one was read when its client was about to delete it: those before it were gone by then.
 * @param root of the project, whose settings of the client count
 */
export function findAgentsSince(memory: Memory, root: string): KnownAgents | null {
  const first = findFirstSession(memory);
  if (first === null) return null;
  const days = findRetention(first.agent, root)?.days ?? null;
  const isRead = first.readAt !== null;
  const file = findFirstChange(memory, { files: agentFiles, directories: agentDirectories });
  const isEarlier = file !== null && file.authoredAt < first.startedAt;
  // A file that was changed was there before, and nothing says since when.
  const fileSince = file?.status === "A" ? file.authoredAt : firstAgentsAt;
  return {
    at: isEarlier ? fileSince : first.startedAt,
    agentFile: isEarlier ? file.path : null,
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
 * Whether the unknown lines of a commit are from before agents: older than any agent, or than the first session and any file for
 * agents, where no session before that can be missing. What a first commit holds may be of any age, and of anybody.
 * @param basis what they are unknown for: lines that may be an agent's are not
 */
export function isBeforeAgents(
  { authoredAt, hasSession }: CommitOfThen,
  basis: AttributionBasis | null,
  { at, may_be_incomplete }: { at: number; may_be_incomplete: boolean },
): boolean {
  if (canBeByAgent(basis) || hasSession) return false;
  if (authoredAt < firstAgentsAt) return true;
  return basis !== "root" && !may_be_incomplete && authoredAt < at;
}

const getFirstSessionDay = ({ first_session_at }: AgentsSince) => first_session_at.slice(0, 10);

/** The evidence for lines from before agents, and for what is unknown of that time: in sentences. */
export const notesOnBefore = (
  since: KnownAgents,
  has: { before: boolean; olderUnknown: boolean },
): string[] => [
  ...(has.before && !since.may_be_incomplete
    ? [
        since.agentFile === null
          ? `Before agents: older than the first session here (${getFirstSessionDay(since)}).`
          : since.at === firstAgentsAt
            ? `Before agents: older than agents that write files. ${since.agentFile} is older than the first session here.`
            : `Before agents: older than ${since.agentFile} (${new Date(since.at).toISOString().slice(0, 10)}), which is older than the first session here.`,
      ]
    : []),
  ...(has.olderUnknown && since.may_be_incomplete
    ? [
        `Lines from before ${getFirstSessionDay(since)} are unknown: the agent deletes sessions after ${since.deleted_after_days} days, so some may be missing.`,
      ]
    : []),
];
