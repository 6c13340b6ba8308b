import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Memory } from "../../store/memory/memory.ts";
import {
  type TranscriptRecord,
  transcriptByPath,
  transcriptsNamed,
} from "../../store/memory/sessions/transcripts.ts";

/**
 * How far a transcript was read, also where it lay elsewhere then: a client that archives a session moves its file. A
 * file that is still where it was has been copied, and the copy is another one.
 * @param session its uid, as the file says
 */
export function transcriptAt(memory: Memory, path: string, session: string): TranscriptRecord | null {
  const known = transcriptByPath(memory, path);
  if (known !== null) return known;
  return transcriptsNamed(memory, basename(path), session).find((one) => !existsSync(one.path)) ?? null;
}
