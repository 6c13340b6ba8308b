import type { GivenPayload } from "../../agents/agent.ts";

/** "pommel 2 running, 1 waits for you, 1 overlap"; nothing while no agent is at work. */
export function formatPromptStatus({ running, waiting, overlaps }: GivenPayload): string {
  const count = toCount(running);
  const facts = [`${count} running`, ...formatWaiting(waiting), ...formatOverlaps(overlaps)];
  return count === 0 ? "" : `pommel ${facts.join(", ")}`;
}

/** "1 overlap": somewhere another session is at the same function (`pm radar`). */
function formatOverlaps(overlaps: unknown): string[] {
  const count = toCount(overlaps);
  return count === 0 ? [] : [`${count} ${count === 1 ? "overlap" : "overlaps"}`];
}

function formatWaiting(waiting: unknown): string[] {
  const count = toCount(waiting);
  return count === 0 ? [] : [`${count} ${count === 1 ? "waits" : "wait"} for you`];
}

/** "pommel: wrote 92% of what it committed, 3 injected, 1 used, 1 waits for you, 412 sessions" */
export function formatSessionStatus(known: GivenPayload): string {
  const facts = formatOverlaps(known.overlaps);
  if (typeof known.session === "object" && known.session !== null) {
    const session: GivenPayload = { ...known.session };
    const lines: GivenPayload = { ...(session.lines as object | undefined) };
    const [agent, human, unknown] = [lines.agent, lines.human, lines.unknown].map(toCount) as [
      number,
      number,
      number,
    ];
    const all = agent + human + unknown;
    if (all > 0) facts.push(`wrote ${Math.round((100 * agent) / all)}% of what it committed`);
    const [injected, used] = [toCount(session.injected), toCount(session.used)];
    facts.push(
      injected === 0 ? "nothing injected" : `${injected} injected${used === 0 ? "" : `, ${used} used`}`,
    );
  }
  const sessions = toCount(known.sessions);
  facts.push(...formatWaiting(known.waiting));
  facts.push(`${sessions} ${sessions === 1 ? "session" : "sessions"}`);
  return `pommel: ${facts.join(", ")}`;
}

const toCount = (value: unknown): number => (typeof value === "number" ? value : 0);
