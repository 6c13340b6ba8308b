import type { SessionBrief, SessionSummary } from "./operation.ts";

/** The parts of a session's brief and what they are called, the most telling first. */
const briefParts = [
  ["rejected", "Rejected later"],
  ["asked", "Asked"],
  ["outcome", "Outcome"],
  ["last_asked", "Last asked"],
  ["state", "Last turn"],
  ["open", "Open"],
  ["commits", "Commits"],
  ["checks", "Last checks"],
  ["files", "Changed"],
  ["commands", "Worked"],
] as const satisfies readonly (readonly [keyof SessionBrief, string])[];

/** Those that tell a person what a session was, in the order of time; the others stand elsewhere. */
const told = ["asked", "last_asked", "outcome", "open", "commits"] as const;

const titles = new Map<keyof SessionBrief, string>(briefParts);

/** A session in at most five lines: what each is called, and what it says. */
export function listBriefLines(brief: SessionBrief): {
  title: string;
  says: string | SessionBrief["commits"];
}[] {
  return told
    .filter((name) => brief[name].length > 0)
    .map((name) => ({ title: titles.get(name)!, says: brief[name] }));
}

/** A session that ended without saying so: the client was closed. Milliseconds. */
const silentMs = 10 * 60_000;

/** Whether an agent is at work in a session, as far as is known. */
export const isRunning = (
  { ended_at, last_at }: Pick<SessionSummary, "ended_at" | "last_at">,
  now = Date.now(),
): boolean => ended_at === null && last_at !== null && now - Date.parse(last_at) < silentMs;

const openEnds = {
  interrupted: "interrupted",
  error: "ended with an error",
  unfinished: "no end was recorded",
} as const;

/** How a session ended whose last turn has no proper end; null: it has one, or still runs. */
export function describeOpenEnd(session: SessionSummary): string | null {
  const { last_state = "completed" } = session;
  return last_state === "completed" || isRunning(session) ? null : openEnds[last_state];
}
