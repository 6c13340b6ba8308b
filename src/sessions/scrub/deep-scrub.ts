import type { Llm } from "../../models/generate/llm.ts";
import { findSecretsByLlm, replaceSecrets } from "../../redact/scrub-with-llm.ts";
import { createLedger } from "../../redact/scrubber.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import {
  findLastLineRead,
  listSecrets,
  saveLastLineRead,
  saveSecrets,
} from "../../store/memory/privacy/secrets.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listSummaries } from "../../store/memory/sessions/summaries.ts";
import { findNextSeq } from "../../store/memory/sessions/transcripts.ts";
import { readStoredTurns } from "../turn-content.ts";
import type { ScrubbingWork } from "../work.ts";
import { redactWholeSession } from "./redact-session.ts";
import { listTexts } from "./redact-stored.ts";

/** Shown to the model at once; more than this it would not look at. Characters. */
const maxShownLength = 50_000;
/** Shorter texts hold no secret that patterns would not know. Characters. */
const minSecretChars = 8;

/**
 * Lets a language model find secrets without a known pattern in a session's new lines, and removes its findings from
 * everything stored of the session. Only for a model on this machine (`isLocal` of models/generate/registry.ts): its input may
 * still hold secrets. Lines are sent once only.
 * @param alone runs code that must not run while a transcript of the session is read
 * @returns how many turns were changed
 * @throws PommelError `llm_unavailable`; the signal's reason when it is aborted
 */
export async function deepScrubSession(
  work: Omit<ScrubbingWork, "scrubber"> & { llm: Llm },
  sessionUid: string,
  alone: <T>(change: () => Promise<T>) => Promise<T>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const { memory, llm, ledgerKey } = work;
  const session = findSessionByUid(memory, sessionUid);
  if (session === null) return 0;
  const seen = findLastLineRead(memory, session.id);
  const last = findNextSeq(memory, session.id) - 1;
  if (last <= seen) return 0;
  const texts = listNewTexts(memory, session, seen);
  const secrets = new Map<string, string>();
  for (const shown of joinIntoBatches(texts)) {
    for (const [secret, type] of await findSecretsByLlm(shown, llm, signal)) secrets.set(secret, type);
  }
  let turns = 0;
  if (secrets.size > 0) {
    const cleaned = await alone(async () => {
      const ledger = createLedger(ledgerKey, listSecrets(memory, session.id));
      return redactWholeSession(work, session.id, {
        clean: (text) => replaceSecrets(text, secrets, ledger),
        also: () => saveSecrets(memory, session.id, ledger.takeNew()),
        signal,
      });
    });
    turns = cleaned.turns;
  }
  saveLastLineRead(memory, session.id, last);
  return turns;
}

/** The texts in the lines after a given one, and those stored with the session besides its turns. */
function listNewTexts(memory: Memory, session: SessionRecord, seen: number): Iterable<string> {
  const texts = new Set<string>();
  for (const { lines } of readStoredTurns(memory, session.id)) {
    const fresh = lines.filter(({ seq }) => seq > seen);
    for (const text of listTexts(fresh)) if (text.length >= minSecretChars) texts.add(text);
  }
  for (const { note } of listStoredNotes(memory, { sessionUid: session.uid })) texts.add(note);
  for (const { text } of listSummaries(memory, session.id)) texts.add(text);
  return texts;
}

/** Texts joined to batches of the size of one request; a longer text is split. */
function* joinIntoBatches(texts: Iterable<string>): Iterable<string> {
  let batch = "";
  for (const text of texts) {
    for (let at = 0; at < text.length; at += maxShownLength) {
      const part = text.slice(at, at + maxShownLength);
      if (batch !== "" && batch.length + part.length > maxShownLength) {
        yield batch;
        batch = "";
      }
      batch += batch === "" ? part : `\n\n${part}`;
    }
  }
  if (batch !== "") yield batch;
}
