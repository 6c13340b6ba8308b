import { basename, isAbsolute } from "node:path";
import { defaultBranches } from "../../git/history/head.ts";
import { sessionsByForm } from "../../store/memory/commands.ts";
import { eventsOf } from "../../store/memory/events.ts";
import { listSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { briefWithoutCommands, versionControl, workingCommands } from "../handoff/brief.ts";
import { decisionsToTell, notesToTell } from "./decided.ts";
import type { Injection } from "./quote.ts";
import { sessionToTell } from "./session-item.ts";
import { type ContextSource, inSight, placeOf } from "./source.ts";

const day = 24 * 3600 * 1000;
/** Notes are made to last, decisions of a session less so. Days. */
const notesReach = 90;
const decisionsReach = 21;
const maxNotes = 3;
const maxDecisions = 2;
const maxDropped = 4;
/** What ran in so many others of the latest sessions, or so often in this one, is run again. */
const habit = 3;
const lately = 40;

/** What matters when a session begins: the last work on its branch, notes, current decisions, and its event. */
export async function toTellAtStart(source: ContextSource, sessionUid: string): Promise<Injection[]> {
  const { memory, now } = source;
  const branch = await source.branch();
  // What comes next on a default branch has nothing to do with what was last.
  const ofWork = branch === null || defaultBranches.includes(branch) ? null : branch;
  const sees = inSight(source, sessionUid);
  // For a resumed session, only what happened since is new.
  const own = sessionByUid(memory, sessionUid);
  const hasTurns = own !== null && turnsOf(memory, own.id, { first: 1, last: 1 }).length > 0;
  const from = hasTurns ? (own.lastAt ?? 0) : 0;
  return [
    ...(ofWork === null ? [] : lastOnBranch(source, ofWork, sees, from)),
    ...notesToTell(source, {
      since: Math.max(now - notesReach * day, from),
      of: (session) => session === null || !sees(session),
      most: maxNotes,
    }),
    ...decisionsToTell(source, {
      since: Math.max(now - decisionsReach * day, from),
      of: (session) => !sees(session),
      files: null,
      branch: ofWork,
      most: maxDecisions,
      why: "a recent decision",
    }),
    ...eventOf(source, branch),
  ];
}

/**
 * What a summary drops of a session: the user's notes and decisions, and files and habitual commands that it does not name.
 * @param summary null: not known yet, as with Claude Code, which writes it only after the hook; then all of them
 */
export function toTellAfterCompaction(
  source: ContextSource,
  sessionUid: string,
  summary: string | null,
): Injection[] {
  const { memory, until } = source;
  const own = sessionByUid(memory, sessionUid);
  if (own === null) return [];
  const isOwn = (session: string | null) => session === sessionUid;
  const files = briefWithoutCommands(memory, own, until).files.filter((file) => !isAbsolute(file));
  const habits = sessionsByForm(memory, { until, sessions: lately });
  // It is one of them itself.
  const commands = workingCommands(memory, own.id, until)
    .filter(
      ({ name, form, times }) =>
        !versionControl.test(name) && (times >= habit || (habits.get(form) ?? 0) > habit),
    )
    .map(({ line }) => line);
  const dropped = (said: readonly string[], nameOf: (one: string) => string) =>
    said.filter((one) => !summary?.includes(nameOf(one))).slice(0, maxDropped);
  const place = placeOf({ session: own.uid, at: own.lastAt });
  const listed = (what: string, kind: string, said: readonly string[], by: string): Injection[] =>
    said.length === 0
      ? []
      : [
          {
            ...{ ref: `session:${own.uid}:${what}`, kind, quote: said.join(by), place },
            ...{
              why:
                summary === null ? `${what} before the compaction` : `the summary has none of these ${what}`,
              score: null,
            },
          },
        ];
  return [
    ...notesToTell(source, { since: 0, of: isOwn, most: maxNotes }),
    ...decisionsToTell(source, {
      since: null,
      of: isOwn,
      files: null,
      branch: null,
      most: maxDecisions,
      why: "decided before the compaction",
    }),
    ...listed("files", "Also edited before the compaction", dropped(files, basename), ", "),
    ...listed(
      "commands",
      "Worked before the compaction",
      dropped(commands, (line) => line),
      "; ",
    ),
  ];
}

/** The state of the work on a branch: what its last session did, and left open. */
function lastOnBranch(
  source: ContextSource,
  branch: string,
  sees: (uid: string) => boolean,
  from: number,
): Injection[] {
  const { memory, until } = source;
  const last = listSessions(memory, { branch, until, remembered: true, limit: 10 }).find(
    ({ uid, lastAt }) => !sees(uid) && (lastAt ?? 0) > from,
  );
  if (!last) return [];
  const item = sessionToTell(source, last, {
    kind: "The last session on this branch",
    why: `the last session on ${branch}`,
  });
  return item === null ? [] : [item];
}

function eventOf({ memory, until }: ContextSource, branch: string | null): Injection[] {
  if (branch === null) return [];
  const event = eventsOf(memory, { status: "active" }).find(
    (one) => one.branch === branch && (until === null || one.createdAt <= until),
  );
  if (!event) return [];
  return [
    {
      ref: `event:${event.uid}`,
      kind: "This branch's event",
      quote: [event.title, event.description].filter((part) => part !== "").join(": "),
      place: `event ${event.uid}`,
      why: `the active event of ${branch}`,
      score: null,
    },
  ];
}
