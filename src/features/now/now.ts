import * as z from "zod/mini";
import { askMemories, listWithProjects } from "../../answers/ask-projects.ts";
import { dayMs } from "../../base/text/day.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { waitReasons } from "../../protocol/values.ts";
import { buildBrief } from "../../sessions/brief/brief.ts";
import { buildResumeCommand } from "../../sessions/resume-command.ts";
import { findPendingWork } from "../../sessions/waiting.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readMetaValue } from "../../store/memory/meta-value.ts";
import { findSession, listSessions } from "../../store/memory/sessions/sessions.ts";
import { readContextSize } from "../../store/memory/sessions/usage.ts";
import { summariseSessions } from "../sessions/describe-session.ts";
import { describeOpenEnd } from "../sessions/end-words.ts";
import { type NowEverywhereResponse, type NowResponse, showNow } from "./operation.ts";

/** What ended before that is not looked at any more, and what was left open before that will not be gone on with. */
const maxAgeDays = { looked: 3, unfinished: 14 } as const;
/** The latest of them: each takes 3 ms to look at. */
const maxSessions = 40;

/** Before it is said what agents at work cost. */
interface UnpricedNow extends Omit<NowResponse, "running"> {
  running: Omit<NowResponse["running"][number], "cost">[];
}

/** Sessions that are somebody's turn now: the agent's, the reader's, nobody's. Subagents' and colleagues' are left out. */
export function listNow(memory: Memory, now = Date.now()): UnpricedNow {
  return memory.readInSnapshot(() => {
    const aside = readAside(memory);
    const records = listSessions(memory, {
      since: now - maxAgeDays.unfinished * dayMs,
      shared: false,
      remembered: true,
      limit: maxSessions,
    }).filter(({ uid, lastAt }) => (lastAt ?? 0) > (aside[uid] ?? 0));
    const work = findPendingWork(memory, records, now);
    const answer: UnpricedNow = { running: [], to_look_at: [], unfinished: [] };
    for (const [i, session] of summariseSessions(memory, records).entries()) {
      const record = records[i]!;
      const { asked, last_asked, files, checks, outcome, open, commits } = buildBrief(memory, record);
      const listed = { ...session, prompt: last_asked || asked, files: files.length, checks };
      const at = work[i]!;
      if (at !== null)
        answer.running.push({
          ...listed,
          pending: at.pending,
          waiting: at.wait && { for: at.wait.for, since: formatIsoTime(at.wait.since)! },
          context_tokens: readContextSize(memory, record.id),
        });
      else if (open !== "" || describeOpenEnd(session) !== null)
        answer.unfinished.push({ ...listed, open, resume: buildResumeCommand(record) });
      else if (files.length > 0 && (record.lastAt ?? 0) > now - maxAgeDays.looked * dayMs)
        answer.to_look_at.push({ ...listed, outcome, commits });
    }
    answer.running.sort(byUrgency);
    return answer;
  });
}

type WaitingField = Pick<NowResponse["running"][number], "waiting">;

/** Who is kept from work comes first, and who works last. */
const byUrgency = (a: WaitingField, b: WaitingField): number => rankUrgency(a) - rankUrgency(b);
const rankUrgency = ({ waiting }: WaitingField): number =>
  waiting === null ? waitReasons.length : waitReasons.indexOf(waiting.for);

/** Of all projects; those that cannot be read are left out, and named. */
export async function listNowEverywhere(): Promise<NowEverywhereResponse> {
  const { answers, left_out } = await askMemories(showNow, {}, {});
  const merge = <S extends { last_at: string | null }>(list: (answer: NowResponse) => readonly S[]) =>
    listWithProjects(answers, list).sort((a, b) => (b.last_at ?? "").localeCompare(a.last_at ?? ""));
  return {
    running: merge(({ running }) => running).sort(byUrgency),
    to_look_at: merge(({ to_look_at }) => to_look_at),
    unfinished: merge(({ unfinished }) => unfinished),
    left_out,
  };
}

/** Where the memory keeps what was put aside. */
const asideKey = "now.aside";

/** The times of sessions' last lines when they were put aside, by their id: one that has gone on since is there again. */
const asideShape = z.record(z.string(), z.number());

const readAside = (memory: Memory): z.infer<typeof asideShape> =>
  readMetaValue(memory, asideKey, asideShape) ?? {};

/** @throws PommelError `not_found` for an unknown session, `usage` for an ambiguous id */
export function putSessionAside(memory: Memory, id: string, now = Date.now()): { id: string } {
  const { uid, lastAt } = findSession(memory, id);
  const oldest = now - maxAgeDays.unfinished * dayMs;
  const kept = Object.entries(readAside(memory)).filter(([, at]) => at >= oldest);
  memory.setMeta(asideKey, JSON.stringify({ ...Object.fromEntries(kept), [uid]: lastAt ?? now }));
  return { id: uid };
}
