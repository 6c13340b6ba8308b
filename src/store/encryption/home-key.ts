import { findEnvelopeOfDatabase, type KeySource, readHomeEnvelope } from "./envelope.ts";
import { passphraseVariable, unlock } from "./keys.ts";

/** Of the home, or of one backup. */
interface What {
  backup?: string | undefined;
}

const findEnvelope = ({ backup }: What) =>
  backup === undefined ? readHomeEnvelope() : findEnvelopeOfDatabase(backup);

/** Where the key comes from, and whether a passphrase has to be asked for; null: nothing is encrypted. */
export function findKey(what: What): { source: KeySource; needsPassphrase: boolean } | null {
  const source = findEnvelope(what)?.source;
  if (source === undefined) return null;
  return { source, needsPassphrase: source.kind === "passphrase" && !process.env[passphraseVariable] };
}

/** Checks the key; this process, and a daemon that it starts, know the passphrase from then on. @throws PommelError `encryption_locked` */
export function unlockHome({ passphrase, ...what }: What & { passphrase?: string | undefined }): void {
  if (passphrase !== undefined) process.env[passphraseVariable] = passphrase;
  const envelope = findEnvelope(what);
  if (envelope) unlock(envelope);
}
