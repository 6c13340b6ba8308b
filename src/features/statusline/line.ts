import type { Subjects } from "../../answers/operation.ts";
import { answerAbout } from "../../answers/run.ts";
import { dayMs } from "../../base/text/day.ts";
import { readReadyPart } from "../../protocol/ready-context.ts";
import { findPendingWork } from "../../sessions/waiting.ts";
import { countLinesByAuthor } from "../../store/memory/commits/attributions.ts";
import { listCheckpoints } from "../../store/memory/commits/checkpoints.ts";
import { findSessionByUid, listSessions, readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import { listInjections } from "../context/operation.ts";
import { hookParts } from "../hook-parts.ts";
import type { StatuslineAnswer } from "./operation.ts";

const maxInjections = 100;

/** What a status line says of the project, and of the session that it stands under. */
export async function buildStatusline(
  about: Subjects["memory"],
  { session_id = "" }: { session_id?: string | undefined },
): Promise<Omit<StatuslineAnswer, "overlaps">> {
  const { memory } = about;
  const recent = listSessions(memory, { since: Date.now() - dayMs, shared: false });
  const work = findPendingWork(memory, recent, Date.now()).filter((one) => one !== null);
  const isKnown = findSessionByUid(memory, session_id) !== null;
  return {
    sessions: readMemoryCounts(memory).sessions,
    running: work.length,
    waiting: work.filter(({ wait }) => wait !== null).length,
    session: isKnown ? await readSessionFigures(about, session_id) : null,
  };
}

/** By what is ready for hooks: who shows a prompt waits. */
export async function countOverlaps(
  root: string,
  { session_id = "" }: { session_id?: string | undefined },
): Promise<number> {
  let overlaps = 0;
  for (const [feature, { hook }] of Object.entries(hookParts)) {
    const ready = readReadyPart(root, feature);
    if (ready !== null) overlaps += (await hook()).countOverlaps?.(ready, session_id) ?? 0;
  }
  return overlaps;
}

async function readSessionFigures(
  about: Subjects["memory"],
  session: string,
): Promise<StatuslineAnswer["session"]> {
  const { memory } = about;
  const lines = { agent: 0, human: 0, unknown: 0 };
  for (const { commit } of listCheckpoints(memory, { session })) {
    const { agent, human, unknown } = countLinesByAuthor(memory, commit.id);
    lines.agent += agent;
    lines.human += human;
    lines.unknown += unknown;
  }
  const { injections } = await answerAbout(listInjections, about, { session, limit: maxInjections });
  const items = injections.flatMap((injection) => injection.items);
  return { lines, injected: items.length, used: items.filter(({ use }) => use?.outcome === "used").length };
}
