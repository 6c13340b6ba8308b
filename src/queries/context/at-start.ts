import { eventsOf } from "../../store/memory/events.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { bestSummaries } from "../../store/memory/sessions/summaries.ts";
import { filesOfSession, turnsOf } from "../../store/memory/sessions/turns.ts";
import { decisionsToTell, notesToTell } from "./decided.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, inSight, placeOf } from "./source.ts";

const day = 24 * 3600 * 1000;
/** Notes are made to last, decisions of a session less so. Days. */
const notesReach = 90;
const decisionsReach = 21;
const maxNotes = 5;
const maxDecisions = 4;
const maxFiles = 12;

/** What matters when a session begins: the last work on its branch, notes, current decisions, and its event. */
export async function toTellAtStart(source: ContextSource, sessionUid: string): Promise<Injection[]> {
  const { memory, now } = source;
  const branch = await source.branch();
  const sees = inSight(source, sessionUid);
  // For a resumed session, only what happened since is new.
  const own = sessionByUid(memory, sessionUid);
  const hasTurns = own !== null && turnsOf(memory, own.id, { first: 1, last: 1 }).length > 0;
  const from = hasTurns ? (own.lastAt ?? 0) : 0;
  return [
    ...lastOnBranch(source, branch, sees, from),
    ...notesToTell(source, {
      since: Math.max(now - notesReach * day, from),
      of: (session) => session === null || !sees(session),
      most: maxNotes,
    }),
    ...decisionsToTell(source, {
      since: Math.max(now - decisionsReach * day, from),
      of: (session) => !sees(session),
      files: null,
      branch,
      most: maxDecisions,
      why: "a recent decision",
    }),
    ...eventOf(source, branch),
  ];
}

/** What a compaction may have removed: the user's notes, decisions, and the files being edited. */
export function toTellAfterCompaction(source: ContextSource, sessionUid: string): Injection[] {
  const { memory } = source;
  const own = sessionByUid(memory, sessionUid);
  if (own === null) return [];
  const edited = filesOfSession(memory, own.id).filter(({ how }) => how !== "read");
  const isOwn = (session: string | null) => session === sessionUid;
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
    ...(edited.length === 0
      ? []
      : [
          {
            ref: `session:${own.uid}:files`,
            kind: "Edited in this session before its compaction",
            quote: edited
              .slice(0, maxFiles)
              .map(({ path }) => path)
              .join(", "),
            place: placeOf({ session: own.uid, at: own.lastAt }),
            why: "edited before the compaction",
            score: null,
          },
        ]),
  ];
}

function lastOnBranch(
  { memory, until }: ContextSource,
  branch: string | null,
  sees: (uid: string) => boolean,
  from: number,
): Injection[] {
  if (branch === null) return [];
  const last = listSessions(memory, { branch, until, remembered: true, limit: 10 }).find(
    ({ uid, lastAt }) => !sees(uid) && (lastAt ?? 0) > from,
  );
  if (!last) return [];
  const quote = doingOf({ memory }, last);
  if (quote === "") return [];
  return [
    {
      ref: `session:${last.uid}`,
      kind: "The last session on this branch",
      quote,
      place: placeOf({ session: last.uid, author: last.author, at: last.lastAt, branch }),
      why: `the last session on ${branch}`,
      score: null,
    },
  ];
}

/** Title, last prompt and outcome of a session. */
function doingOf({ memory }: Pick<ContextSource, "memory">, session: SessionRecord): string {
  const prompt = turnsOf(memory, session.id).findLast(
    ({ number, abandoned }) => number > 0 && !abandoned,
  )?.prompt;
  const outcome = outcomeIn(bestSummaries(memory, [session.id]).get(session.id)?.text ?? "");
  const isTitle = session.title !== null && !prompt?.startsWith(session.title.replace(/…$/, ""));
  return [
    isTitle ? sentence(session.title ?? "") : "",
    prompt === undefined || prompt === "" ? "" : sentence(`Last prompt: ${prompt.slice(0, 160).trim()}`),
    outcome === "" ? "" : `Outcome: ${outcome}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

const sentence = (text: string) => (/[.!?…:]$/.test(text) ? text : `${text}.`);

/** The outcome in a summary; "" if it has none. */
function outcomeIn(summary: string): string {
  const [, said = ""] =
    /^(?:\d+\.\s*)?(?:#+\s*)?\**(?:Outcome|Current Work|Pending Tasks)\**:?\s*\n([\s\S]*?)(?=\n\s*\n|\n\d+\.\s|$(?![\s\S]))/im.exec(
      summary,
    ) ?? [];
  return said.replace(/\s+/g, " ").trim().slice(0, 240);
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
