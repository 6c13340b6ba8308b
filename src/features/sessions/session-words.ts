import { linkEvidence } from "../../protocol/reading/evidence.ts";
import type { ReviewAnswer, ReviewDecision, ReviewFile, ReviewSession } from "../review/operation.ts";
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
export function briefLines(brief: SessionBrief): {
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
export function openEndOf(session: SessionSummary): string | null {
  const { last_state = "completed" } = session;
  return last_state === "completed" || isRunning(session) ? null : openEnds[last_state];
}

/** How a session stands in a review of a change. */

/** Its turns that are named before the rest is counted: those that wrote something say most. */
export function turnsToShow<Turn extends Pick<ReviewSession["turns"][number], "lines">>(
  turns: readonly Turn[],
  most: number,
): { shown: Turn[]; more: number } {
  const wrote = turns.filter(({ lines }) => lines > 0);
  const shown = (wrote.length > 0 ? wrote : turns).slice(0, most);
  return { shown, more: turns.length - shown.length };
}

/** What ties it to a commit of the change; "" where only the lines do. */
export const tieOf = ({ how, confidence }: Pick<ReviewSession, "how" | "confidence">): string =>
  how === null || confidence === null ? "" : linkEvidence({ how, confidence });

/** What became of a file; what was only changed needs no word. */
export const statusNames: Partial<Record<ReviewFile["status"], string>> = {
  A: "new",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "another kind of file",
};

/** What a change does to a decision: it was made for it, it removes what was written for it, or a later one took its place. */
export function fateOf({ made_here, lines_removed, superseded_by }: ReviewDecision): string[] {
  return [
    ...(made_here ? ["made for this change"] : []),
    ...(lines_removed > 0
      ? [`may be broken: ${lines_removed.toLocaleString("en")} of its lines removed`]
      : []),
    ...(superseded_by === null ? [] : ["superseded"]),
  ];
}

/** What commits of a change undid of others: a path or a commit's subject as it is stored, and what became of it. */
export const contestedText = ({ reworked, reverts }: ReviewAnswer): [text: string, about: string][] => [
  ...reverts.map(({ subject, hash }): [string, string] => [subject, hash.slice(0, 8)]),
  ...reworked.map(({ path, lines, commits }): [string, string] => [
    path,
    `${lines.toLocaleString("en")} lines written and removed again, in ${commits} commits`,
  ]),
];
