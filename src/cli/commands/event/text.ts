import type { EventView } from "../../../protocol/operations/events.ts";
import { localTime, oneLine } from "../../terminal/text.ts";

/** How events are shown. */

/** "task, frozen | feat/auth | 2026-03-01 to 2026-03-31" */
export function eventFacts({ type, status, branch, starts_at, ends_at }: EventView): string {
  return [
    status === "active" ? type : `${type}, ${status}`,
    branch === null ? "" : oneLine(branch, 60),
    daysOf(starts_at, ends_at),
  ]
    .filter((part) => part !== "")
    .join(" | ");
}

/** Two times as days: "2026-03-01 to 2026-03-31", "from 2026-03-01", "until 2026-03-31". */
export function daysOf(from: string | null, to: string | null): string {
  const [first, last] = [from, to].map((time) => (time === null ? null : localTime(time).slice(0, 10)));
  if (first && last) return first === last ? first : `${first} to ${last}`;
  return first ? `from ${first}` : last ? `until ${last}` : "";
}
