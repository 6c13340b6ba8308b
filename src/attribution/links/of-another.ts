import { certain } from "../../protocol/reading/evidence.ts";
import { authorsLedTo } from "../../store/memory/commits/checkpoints.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";

/** What is in a person's home directory works for that person. */
const homeDirectory = /^(?:[A-Za-z]:)?[\\/](?:Users|home)[\\/][^\\/]+[\\/]/;
/** Fewer commits show nobody's habits. */
const fewest = 5;
/** People commit what others wrote now and then: their share is smaller. */
const smallShare = 0.1;

/**
 * Whether a commit's author is somebody else than whom a session worked for, as far as the commits show that sessions in
 * the same home directory certainly led to: a memory may hold sessions of several people.
 */
export function isOfAnother(memory: Memory, sessionUid: string, author: string): boolean {
  const home = homeDirectory.exec(sessionByUid(memory, sessionUid)?.cwd ?? "")?.[0];
  if (home === undefined) return false;
  const commits = authorsLedTo(memory, home, certain);
  const all = [...commits.values()].reduce((sum, count) => sum + count, 0);
  return all >= fewest && (commits.get(author) ?? 0) < all * smallShare;
}
