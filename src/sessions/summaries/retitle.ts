import { certain } from "../../protocol/reading/evidence.ts";
import { commitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { indexAgain } from "../../store/memory/sessions/session-index.ts";
import { listSessions, replacePromptTitle } from "../../store/memory/sessions/sessions.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { commitTitle } from "./commit-title.ts";
import { isPlan } from "./llm-summary.ts";

/** Prompts of a session that are compared with its commits. */
const promptsRead = 10;

/** Subjects of the commits that a session surely led to, in order. */
export const subjectsLedTo = (memory: Memory, uid: string): string[] =>
  (commitsOfSessions(memory, [uid]).get(uid) ?? [])
    .filter(({ confidence }) => confidence >= certain)
    .map(({ subject }) => subject)
    .reverse();

/**
 * Calls sessions after what their commits say, once these are known: of a session that was imported they are found later.
 * A title from an agent, a person, a model or a plan stays.
 */
export function retitleByCommits(memory: Memory): void {
  memory.inTransaction(() => {
    for (const { id, uid, title: before, titleSource } of listSessions(memory, { remembered: true })) {
      if (titleSource !== "prompt") continue;
      const subjects = subjectsLedTo(memory, uid);
      if (subjects.length === 0) continue;
      const prompts = turnsOf(memory, id, { first: 1, limit: promptsRead }).map(({ prompt }) => prompt);
      if (prompts.some(isPlan)) continue;
      const title = commitTitle(subjects, prompts);
      if (title === null || title === before) continue;
      replacePromptTitle(memory, id, title);
      indexAgain(memory, id);
    }
  });
}
