import { certain } from "../../protocol/reading/evidence.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { indexAgain } from "../../store/memory/sessions/session-index.ts";
import { listSessions, replacePromptTitle } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { chooseCommitTitle } from "./commit-title.ts";
import { isPlan } from "./llm-summary.ts";

/** Prompts of a session that are compared with its commits. */
const maxPromptsRead = 10;

/** Subjects of the commits that a session surely led to, in order. */
export const listSubjectsLedTo = (memory: Memory, uid: string): string[] =>
  (readCommitsOfSessions(memory, [uid]).get(uid) ?? [])
    .filter(({ confidence }) => confidence >= certain)
    .map(({ subject }) => subject)
    .reverse();

/**
 * Calls sessions after what their commits say, once these are known: of a session that was imported they are found later.
 * A title from an agent, a person, a model or a plan stays.
 */
export function retitleByCommits(memory: Memory): void {
  memory.runInTransaction(() => {
    for (const { id, uid, title: before, titleSource } of listSessions(memory, { remembered: true })) {
      if (titleSource !== "prompt") continue;
      const subjects = listSubjectsLedTo(memory, uid);
      if (subjects.length === 0) continue;
      const prompts = listTurns(memory, id, { first: 1, limit: maxPromptsRead }).map(({ prompt }) => prompt);
      if (prompts.some(isPlan)) continue;
      const title = chooseCommitTitle(subjects, prompts);
      if (title === null || title === before) continue;
      replacePromptTitle(memory, id, title);
      indexAgain(memory, id);
    }
  });
}
