import { findAgentByName } from "../../agents/registry.ts";
import { getErrorCode } from "../../base/errors.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { findTurn } from "../../store/memory/sessions/turns.ts";
import type { PicturesRequest, PicturesResponse } from "./operation.ts";

/** More of a turn is left out. Characters. */
const maxChars = 40_000_000;

/**
 * The pictures of a turn. They are not stored: they are read from the client's transcript, as long as it has it.
 * @throws PommelError `not_found` for an unknown session
 */
export async function readPictures(
  memory: Memory,
  { session: id, turn: number }: PicturesRequest,
  signal: AbortSignal | undefined,
): Promise<PicturesResponse> {
  const session = findSession(memory, id);
  const turn = findTurn(memory, session.id, number);
  const agent = findAgentByName(session.agent);
  const pictures: PicturesResponse["pictures"] = [];
  if (turn === null || agent?.readPictures === undefined) return { pictures };
  const isWithin = (at: number | null) =>
    at !== null && at >= (turn.startedAt ?? 0) && at <= (turn.endedAt ?? Number.POSITIVE_INFINITY);
  let size = 0;
  for (const { path } of listTranscripts(memory, session.id).filter((one) => agent.isTranscript(one.path)))
    try {
      for await (const { at, ...picture } of agent.readPictures(path, signal)) {
        if (!isWithin(at)) continue;
        size += picture.url.length;
        if (size > maxChars) return { pictures };
        pictures.push({ ...picture, at: formatIsoTime(at) });
      }
    } catch (error) {
      if (getErrorCode(error) !== "ENOENT") throw error;
    }
  return { pictures };
}
