import { PommelError } from "../../project/errors.ts";
import { type DataKey, databaseKey, type Envelope, envelopeFor, unwrap } from "./envelope.ts";
import { passphraseVariable, wrappingKeys } from "./key-source.ts";

/** The data keys that this process and its threads have unlocked. A passphrase takes a third of a second. */

const shared = "pommel data keys";
const threads = () => process.getBuiltinModule("node:worker_threads");

/** The key of a database by its place; null for what is not encrypted. @throws PommelError as `unlock` */
export function keyOfDatabase(file: string): string | null {
  const envelope = envelopeFor(file);
  return envelope && databaseKey(unlock(envelope));
}

/**
 * @throws PommelError `encryption_locked` where the key is not there, `encryption_wrong_key`, `encryption_unavailable` where
 *   a package is missing
 */
export function unlock(envelope: Envelope): DataKey {
  const known = unlocked();
  const bytes = known[envelope.id];
  if (bytes !== undefined) return { id: envelope.id, bytes: Buffer.from(bytes, "hex") };
  for (const wrappingKey of wrappingKeys(envelope)) {
    const key = unwrap(envelope, wrappingKey);
    if (key) {
      rememberKey(key);
      return key;
    }
  }
  throw wrongKey(envelope);
}

function rememberKey({ id, bytes }: DataKey): void {
  threads().setEnvironmentData(shared, { ...unlocked(), [id]: bytes.toString("hex") });
}

/** What is needed again is unlocked again. */
export function forgetKeys(): void {
  threads().setEnvironmentData(shared, {});
}

/** A worker thread has what was unlocked before it began. */
const unlocked = (): Record<string, string> =>
  (threads().getEnvironmentData(shared) as Record<string, string> | undefined) ?? {};

function wrongKey({ source }: Envelope): PommelError {
  const what = {
    file: () => (source.kind === "file" ? `The key file ${source.path} holds another key` : ""),
    keychain: () => "The key in the system's keychain is another one",
    passphrase: () => "The passphrase is wrong",
  }[source.kind]();
  return new PommelError(
    "encryption_wrong_key",
    `${what}: what is encrypted here stays closed, and nothing was changed.`,
    source.kind === "passphrase"
      ? `Run \`pm daemon start\` again, or set ${passphraseVariable}.`
      : "Put back the key that it was encrypted with.",
  );
}
