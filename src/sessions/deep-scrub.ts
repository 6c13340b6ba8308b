import type { Llm } from "../llm/llm.ts";
import type { ScrubbingWork } from "./work.ts";

/**
 * Lets a language model look for secrets that no pattern knows in what is new of a session, and takes what it finds
 * out of everything that is stored of it. Only for a model on this machine (`isLocal` of llm/registry.ts): what it is
 * shown may still hold secrets. Lines that it was shown once are not shown again. Not to be run while a transcript of
 * the session is read.
 * @returns how many turns were changed; their session should be summed up again if there are any
 * @throws PommelError `llm_unavailable`; the signal's reason when it is aborted
 */
export async function deepScrubSession(
  _options: Omit<ScrubbingWork, "scrubber"> & { llm: Llm },
  _sessionUid: string,
  _how: { signal?: AbortSignal | undefined } = {},
): Promise<number> {
  throw new Error("not written yet");
}
