import { listBackupFolders } from "../../answers/known-projects.ts";
import type { RunContext } from "../../answers/operation.ts";
import { type Conversion, decryptHome, encryptHome, rotateKey } from "../../store/encryption/convert.ts";
import { type KeySource, readHomeEnvelope } from "../../store/encryption/envelope.ts";
import { listPlainFiles } from "../../store/encryption/home-files.ts";
import { findKey, unlockHome } from "../../store/encryption/home-key.ts";
import { passphraseVariable, unlock } from "../../store/encryption/keys.ts";
import { getSealedEngine } from "../../store/encryption/sealed-driver.ts";

export { findKey, type KeySource, passphraseVariable, unlockHome };

interface KeyChoice {
  /** As the setting `storage.key`. */
  key: string;
  /** A new one, where `key` is "passphrase". */
  passphrase: string | null;
}

/** Encrypts what is stored, or does the rest where that was interrupted. No daemon may run. */
export function encryptMemory(
  { key, passphrase }: KeyChoice,
  { onNote }: RunContext,
): Conversion & { source: KeySource } {
  if (passphrase !== null) process.env[passphraseVariable] = passphrase;
  return { ...encryptHome(key, buildOptions(onNote)), source: readHomeEnvelope()!.source };
}

/** Replaces the key. No daemon may run. */
export function replaceKey({ key, passphrase }: KeyChoice, { onNote }: RunContext): KeySource {
  rotateKey(key, buildOptions(onNote), () => {
    if (passphrase !== null) process.env[passphraseVariable] = passphrase;
  });
  return readHomeEnvelope()!.source;
}

/** No daemon may run. */
export const decryptMemory = ({ onNote }: RunContext): Conversion => decryptHome(buildOptions(onNote));

const buildOptions = (onNote: RunContext["onNote"]) => ({
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
