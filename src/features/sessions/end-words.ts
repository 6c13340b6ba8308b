import { isRunning } from "../../protocol/reading/running.ts";
import type { TurnState } from "../../protocol/values.ts";
import type { SessionSummary } from "./operation.ts";

const turnEnds: Readonly<Record<TurnState, string>> = {
  completed: "",
  interrupted: "interrupted",
  error: "ended with an error",
  unfinished: "no end was recorded",
};

/** How a turn ended that has no proper end; "": it has one. */
export const describeTurnEnd = ({ state = "completed" }: { state?: TurnState | undefined }): string =>
  turnEnds[state];

/** How a session ended whose last turn has no proper end; null: it has one, or still runs. */
export function describeOpenEnd(session: SessionSummary): string | null {
  const end = describeTurnEnd({ state: session.last_state });
  return end === "" || isRunning(session) ? null : end;
}
