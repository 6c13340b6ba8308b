import { formatIsoTime } from "../../base/text/iso-time.ts";
import { countLinesByAuthor } from "../../store/memory/commits/attributions.ts";
import { listCheckpoints } from "../../store/memory/commits/checkpoints.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid, listSessions, readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import { listInjected } from "../context/injected.ts";
import { isRunning } from "../sessions/session-words.ts";
import type { StatuslineAnswer } from "./operation.ts";

const maxInjections = 100;

/** What a status line says of the project, and of the session that it stands under. */
export function buildStatusline(
  memory: Memory,
  { session_id = "" }: { session_id?: string | undefined },
): StatuslineAnswer {
  return memory.readInSnapshot(() => {
    const recent = listSessions(memory, { since: Date.now() - hourMs });
    const at = (session: (typeof recent)[number]) => ({
      ended_at: formatIsoTime(session.endedAt),
      last_at: formatIsoTime(session.lastAt),
    });
    return {
      sessions: readMemoryCounts(memory).sessions,
      running: recent.filter((session) => isRunning(at(session))).length,
      session: findSessionByUid(memory, session_id) === null ? null : readSessionFigures(memory, session_id),
    };
  });
}

const hourMs = 3_600_000;

function readSessionFigures(memory: Memory, session: string): StatuslineAnswer["session"] {
  const lines = { agent: 0, human: 0, unknown: 0 };
  for (const { commit } of listCheckpoints(memory, { session })) {
    const { agent, human, unknown } = countLinesByAuthor(memory, commit.id);
    lines.agent += agent;
    lines.human += human;
    lines.unknown += unknown;
  }
  const items = listInjected(memory, { session, limit: maxInjections }).flatMap(
    (injection) => injection.items,
  );
  return { lines, injected: items.length, used: items.filter(({ use }) => use?.outcome === "used").length };
}
