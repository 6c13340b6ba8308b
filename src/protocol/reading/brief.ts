import type { SessionBrief } from "../operations/sessions.ts";

/** The parts of a session's brief and what they are called, the most telling first. */
export const briefParts = [
  ["rejected", "Rejected later"],
  ["asked", "Asked"],
  ["outcome", "Outcome"],
  ["last_asked", "Last asked"],
  ["state", "Last turn"],
  ["open", "Open"],
  ["commits", "Commits"],
  ["files", "Changed"],
  ["commands", "Worked"],
] as const satisfies readonly (readonly [keyof SessionBrief, string])[];

/** Those that tell a person what a session was, in the order of time; the others stand elsewhere. */
const told = ["asked", "last_asked", "outcome", "open", "commits"] as const;
const titles = new Map<keyof SessionBrief, string>(briefParts);

/** A session in at most five lines: what each is called, and what it says. */
export function briefLines(brief: SessionBrief): {
  title: string;
  says: string | SessionBrief["commits"];
}[] {
  return told
    .filter((name) => brief[name].length > 0)
    .map((name) => ({ title: titles.get(name)!, says: brief[name] }));
}
