import type { Decision } from "../../../protocol/operations/decisions.ts";
import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import { minute } from "../../../protocol/reading/turn-as-markdown.ts";
import { shortId } from "../../../sessions/short-id.ts";
import { counted } from "../../terminal/text.ts";

/** What every format says of a session and a decision. */

export function titleOf({ title, agent_type, id }: SessionSummary): string {
  return title ?? agent_type ?? `Session ${shortId(id)}`;
}

export function sessionFacts(session: SessionSummary): string[] {
  const { agent, agent_type, started_at, last_at, branch, turns, models } = session;
  const days = [started_at, last_at].flatMap((at) => (at === null ? [] : [minute(at)]));
  return [
    agent_type === null ? agent : `${agent} (${agent_type})`,
    [...new Set(days)].join(" to "),
    branch ?? "",
    counted(turns, "turn"),
    models.join(", "),
  ].filter((fact) => fact !== "");
}

const sources: Record<Decision["source"], string> = {
  annotation: "note",
  conversation: "session",
  adr: "decision record",
  comment: "comment",
  commit: "commit",
  memory: "agent's memory",
};

/** "session, 2026-01-31 14:05 UTC", "comment, src/x.ts:7". */
export function decisionPlace({ source, place, timestamp }: Decision): string {
  const where = place ?? (timestamp === null ? "" : minute(timestamp));
  return [sources[source], where].filter((part) => part !== "").join(", ");
}
