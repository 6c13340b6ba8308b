import {
  FilesNow,
  listDistinctiveKeys,
  measureKeySurvival,
  type Survival,
} from "../../attribution/survival.ts";
import type { Project } from "../../base/paths.ts";
import { type Decision, turnsToCarryOut } from "../../protocol/decision.ts";
import { linesOfTurns } from "../../store/memory/commits/attributions.ts";
import { listFilesOfCommit } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";

/** Fewer lines say nothing. */
const fewestLines = 3;
const kept = 0.6;
const gone = 0.1;

/** What became of the committed lines that the turns of decisions wrote; null where they wrote none. */
export function standingsInCode(
  project: Project,
  memory: Memory,
  decisions: readonly Pick<Decision, "session_id" | "turn">[],
): Decision["in_code"][] {
  const now = new FilesNow(project.root);
  return decisions.map(({ session_id, turn }) => {
    if (session_id === null || turn === null) return null;
    const range = { sessionUid: session_id, first: turn, last: turn + turnsToCarryOut };
    const files = linesOfTurns(memory, range).flatMap(({ commitId, path, first, last }) =>
      listFilesOfCommit(memory, commitId, path).map(({ added }) => ({
        path,
        keys: listDistinctiveKeys({ added: added.filter(({ line }) => line >= first && line <= last) }),
      })),
    );
    return judgeStanding(measureKeySurvival(now, files, () => null));
  });
}

function judgeStanding({ added, surviving }: Survival): Decision["in_code"] {
  if (added < fewestLines) return null;
  const share = surviving / added;
  return share >= kept ? "kept" : share >= gone ? "changed" : "gone";
}
