import { listBackupFolders } from "../../answers/known-projects.ts";
import type { Running } from "../../answers/operation.ts";
import { type Conversion, decryptHome, encryptHome, rotateKey } from "../../store/encryption/convert.ts";
import { findEnvelopeOfDatabase, type KeySource, readHomeEnvelope } from "../../store/encryption/envelope.ts";
import { listPlainFiles } from "../../store/encryption/home-files.ts";
import { passphraseVariable, unlock } from "../../store/encryption/keys.ts";
import { getSealedEngine } from "../../store/encryption/sealed-driver.ts";

export { type KeySource, passphraseVariable };

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

interface Choice {
  /** As the setting `storage.key`. */
  key: string;
  /** A new one, where `key` is "passphrase". */
  passphrase: string | null;
}

/** Encrypts what is stored, or does the rest where that was interrupted. No daemon may run. */
export function encryptMemory(
  { key, passphrase }: Choice,
  { onNote }: Running,
): Conversion & { source: KeySource } {
  if (passphrase !== null) process.env[passphraseVariable] = passphrase;
  return { ...encryptHome(key, buildOptions(onNote)), source: readHomeEnvelope()!.source };
}

/** Replaces the key. No daemon may run. */
export function replaceKey({ key, passphrase }: Choice, { onNote }: Running): KeySource {
  rotateKey(key, buildOptions(onNote), () => {
    if (passphrase !== null) process.env[passphraseVariable] = passphrase;
  });
  return readHomeEnvelope()!.source;
}

/** No daemon may run. */
export const decryptMemory = ({ onNote }: Running): Conversion => decryptHome(buildOptions(onNote));

const buildOptions = (onNote: Running["onNote"]) => ({
  backups: listBackupFolders(),
  onFile: (file: string) => onNote?.(file),
});

/** Files that are still plain although the home is encrypted; null: it is not. @throws PommelError where it cannot be read */
export function findPlainFiles(): { key: KeySource["kind"]; files: string[] } | null {
  const envelope = readHomeEnvelope();
  if (envelope === null) return null;
  getSealedEngine();
  unlock(envelope);
  return { key: envelope.source.kind, files: listPlainFiles({ backups: listBackupFolders() }) };
}
