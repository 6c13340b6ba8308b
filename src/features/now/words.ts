import { formatCount } from "../../base/text/counted.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { WaitReason } from "../../protocol/values.ts";
import { describeOpenEnd } from "../sessions/end-words.ts";
import type { NowResponse } from "./operation.ts";

type RunningSession = NowResponse["running"][number];

/** What agents wait for, and who waits. */
const waits = {
  permission: "waits for your permission",
  question: "waits for your answer",
  prompt: "is done, and waits for your next prompt",
} as const satisfies Record<WaitReason, string>;

/** In the place of a list that is empty. */
export const nothingNow = "No agent is at work, and nothing waits for you.";

/** "waits for your permission"; null: it works. */
export const describeWait = ({ waiting }: Pick<RunningSession, "waiting">): string | null =>
  waiting && waits[waiting.for];

/** "1 agent waits for you, 2 agents at work, 3 sessions to look at, 5 unfinished"; "" for nothing. */
export function describeNow({
  running,
  to_look_at,
  unfinished,
}: Record<"to_look_at" | "unfinished", { length: number }> & {
  running: readonly Pick<RunningSession, "waiting">[];
}): string {
  const waiting = running.filter((session) => session.waiting !== null).length;
  const working = running.length - waiting;
  return [
    waiting > 0 && `${formatCount(waiting, "agent")} ${waiting === 1 ? "waits" : "wait"} for you`,
    working > 0 && `${formatCount(working, "agent")} at work`,
    to_look_at.length > 0 && `${formatCount(to_look_at.length, "session")} to look at`,
    unfinished.length > 0 && `${unfinished.length} unfinished`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What is unfinished: what was left open, with the session's name; else the session, with how it ended. */
export function describeUnfinished(
  session: NowResponse["unfinished"][number],
  name: string,
): [string, string] {
  return session.open === "" ? [name, describeOpenEnd(session) ?? ""] : [session.open, name];
}

/** "led to 3 commits". */
export const describeCommits = ({ commits }: NowResponse["to_look_at"][number]): string =>
  commits.length === 0 ? "no commit known" : `led to ${formatCount(commits.length, "commit")}`;

/** A session of the list: its band, what it is about, what is said of it, the turn to read, and how to go on with it. */
export interface NowSession {
  band: "Waits for you" | "At work" | "To look at" | "Unfinished";
  id: string;
  last_at: string | null;
  head: string;
  says: string;
  /** null: from the beginning. */
  turn: number | null;
  /** The command that goes on with it. */
  resume: string | null;
}

/** All sessions of the list, as they are listed one below another. */
export const listNowSessions = ({ running, to_look_at, unfinished }: NowResponse): NowSession[] => [
  ...running
    .map((session): NowSession => {
      const { id, last_at, title, turns, waiting, pending, doing } = session;
      const [band, says] =
        waiting === null
          ? (["At work", pending ?? doing ?? ""] as const)
          : (["Waits for you", describeSince(session)] as const);
      return { band, id, last_at, head: nameTitle(title), says, turn: turns, resume: null };
    })
    .sort((a, b) => b.band.localeCompare(a.band)),
  ...to_look_at.map(({ id, last_at, title, outcome }): NowSession => {
    return {
      band: "To look at",
      id,
      last_at,
      head: nameTitle(title),
      says: outcome,
      turn: null,
      resume: null,
    };
  }),
  ...unfinished.map((session): NowSession => {
    const [head, says] = describeUnfinished(session, nameTitle(session.title));
    const { id, last_at, turns, resume } = session;
    return { band: "Unfinished", id, last_at, head, says, turn: turns, resume };
  }),
];

/** Sessions of each kind that a terminal names. */
const namedSessions = 3;

/** What is now, row by row, as a terminal shows it: what the row is about, and what it says. */
export function listNowRows({ running, to_look_at, unfinished }: NowResponse): [string, string][] {
  const waiting = running.filter((session) => session.waiting !== null);
  const working = running.filter((session) => session.waiting === null);
  const name = ({ id, title }: { id: string; title: string | null }) =>
    `${shortenSessionId(id)} ${nameTitle(title)}`;
  const rows = (label: string, said: readonly string[]): [string, string][] => [
    ...said.slice(0, namedSessions).map((text, i): [string, string] => [i === 0 ? label : "", text]),
    ...(said.length > namedSessions
      ? ([["", `and ${said.length - namedSessions} more`]] satisfies [string, string][])
      : []),
  ];
  return [
    ...rows(
      "Waits for you:",
      waiting.map((session) => `${name(session)}: ${describeSince(session)}`),
    ),
    ...rows(
      "At work:",
      working.map((session) => [name(session), session.pending ?? session.doing].filter(Boolean).join(": ")),
    ),
    ...rows("To look at:", to_look_at.map(name)),
    ...rows(
      "Unfinished:",
      unfinished.map((session) => {
        const [head, says] = describeUnfinished(session, nameTitle(session.title));
        return `${shortenSessionId(session.id)} ${head}${session.open === "" && says !== "" ? `: ${says}` : ""}`;
      }),
    ),
  ];
}

/** "waits for your permission, 3 minutes ago: npm test". */
function describeSince({ waiting, pending }: RunningSession): string {
  const since = waiting === null ? "" : `, ${formatRelativeTime(Date.parse(waiting.since))}`;
  return `${describeWait({ waiting })}${since}${pending === null ? "" : `: ${pending}`}`;
}
