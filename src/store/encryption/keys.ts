import { hkdfSync, randomBytes, scryptSync } from "node:crypto";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { replaceFile } from "../../base/files/replace-file.ts";
import { locateHome, makeDirectory } from "../../base/home.ts";
import { isSealed, unseal, unsealBytes } from "../../protocol/sealed-text.ts";
import {
  type DataKey,
  deriveDatabaseKey,
  derivePrivateKey,
  type Envelope,
  findEnvelopeOfDatabase,
  type KeySource,
  readHomeEnvelope,
  unwrapDataKey,
} from "./envelope.ts";

/** Where the key comes from that the data key is encrypted with: a file, the system's keychain, or a passphrase. */

export const passphraseVariable = "POMMEL_PASSPHRASE";

/** A key in a file or a keychain, as text. */
const makeKeySecret = () => `POMMEL-KEY-1-${randomBytes(32).toString("base64url")}`;
const secretPattern = /^\s*(POMMEL-KEY-1-[\w-]{43})\s*$/gm;

/**
 * What can be used as a wrapping key: several, where a file has older keys as well. On another machine, the key of a file
 * or a keychain may lie where a new one would.
 */
function listWrappingKeys({ source, id }: Envelope): Buffer[] {
  if (source.kind === "passphrase") return [deriveFromPassphrase(getPassphrase(), source.salt)];
  try {
    return source.kind === "file"
      ? readSecrets(source.path, id).map(deriveFromSecret)
      : [deriveFromSecret(readKeychainSecret(source.account, id))];
  } catch (error) {
    const spare = locateDefaultKeyFile(id);
    if (getErrorCode(error) !== "encryption_locked" || !existsSync(spare)) throw error;
    return readSecrets(spare, id).map(deriveFromSecret);
  }
}

/**
 * Makes a new key where `choice` (`storage.key`) says, without harm to those that are there.
 * @param choice file, file:PATH, keychain or passphrase
 * @param id of the data key
 */
export function makeKeySource(choice: string, id: string): { source: KeySource; wrappingKey: Buffer } {
  if (choice === "passphrase") {
    const salt = randomBytes(16).toString("base64");
    return {
      source: { kind: "passphrase", salt },
      wrappingKey: deriveFromPassphrase(getPassphrase(), salt),
    };
  }
  const secret = makeKeySecret();
  if (choice === "keychain") {
    const account = `${id}-${randomBytes(4).toString("hex")}`;
    withKeychainEntry(account, (entry) => entry.setPassword(secret));
    return { source: { kind: "keychain", account }, wrappingKey: deriveFromSecret(secret) };
  }
  const path = choice === "file" ? locateDefaultKeyFile(id) : resolve(withHome(choice.slice("file:".length)));
  addSecret(path, secret, id);
  return { source: { kind: "file", path }, wrappingKey: deriveFromSecret(secret) };
}

const withHome = (path: string) => (path.startsWith("~/") ? join(homedir(), path.slice(2)) : path);

/** Outside of what is encrypted, so that a copy of that is of no use without it. */
const locateDefaultKeyFile = (id: string) => join(locateHome().configDir, "keys", `${id}.key`);

const deriveFromSecret = (secret: string) =>
  Buffer.from(hkdfSync("sha256", secret, "", "pommel wrapping key", 32));

/** What OWASP's password storage cheat sheet asks of scrypt: 128 MB for about a third of a second. */
const work = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

const deriveFromPassphrase = (passphrase: string, salt: string) =>
  scryptSync(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), 32, work);

let remembered: Record<string, string> = {};

/** Takes the passphrase from the environment, which git and others are given, once it was used. */
export function forgetPassphrase(): void {
  const given = process.env[passphraseVariable];
  if (given !== undefined) remembered = { [passphraseVariable]: given };
  delete process.env[passphraseVariable];
}

/** The environment of a successor. */
export const getSuccessorEnvironment = (): Record<string, string> => remembered;

function getPassphrase(): string {
  const given = process.env[passphraseVariable] ?? remembered[passphraseVariable];
  if (given !== undefined && given !== "") return given;
  throw new PommelError(
    "encryption_locked",
    "The memory and the index are encrypted, and Pommel does not have the passphrase.",
    `Run \`pm daemon start\`, which asks for it, or set ${passphraseVariable}.`,
  );
}

/** @param id of the data key */
function readSecrets(path: string, id: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new PommelError(
      "encryption_locked",
      `The key file ${path} cannot be read (${getErrorCode(error) || getErrorMessage(error)}).`,
      putBack(path, id),
      { cause: error },
    );
  }
  return [...text.matchAll(secretPattern)].map(([, secret]) => secret!);
}

function putBack(path: string, id: string): string {
  const spare = locateDefaultKeyFile(id);
  const places = [...new Set([path, spare])].join(" or ");
  return `Put a copy of it at ${places}: without it, nothing here can be decrypted, the code index included. Nothing was changed.`;
}

/** New keys come first; older ones stay, as older copies of `encryption.json` need them. */
function addSecret(path: string, secret: string, id: string): void {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  const older = isThere ? readSecrets(path, id) : [];
  if (isThere && older.length === 0) {
    throw new PommelError("usage", `${path} exists and is not a key file.`, "Choose another name.");
  }
  const head = "# Decrypts what Pommel stores. Keep a copy in another place: without it, everything is lost.";
  if (makeDirectory(dirname(path)) !== undefined) chmodSync(dirname(path), 0o700);
  replaceFile(path, `${[head, secret, ...older].join("\n")}\n`, { synced: true });
}

interface KeychainEntry {
  getPassword(): string | null;
  setPassword(password: string): void;
}

const keychainPackage = "@napi-rs/keyring";

/** Without a Secret Service, the package would keep the key in Linux' kernel, which forgets it at the next boot. */
const lasting = { linux: { store: "secret-service" } };

function readKeychainSecret(account: string, id: string): string {
  const secret = withKeychainEntry(account, (entry) => entry.getPassword());
  if (secret !== null) return secret;
  throw new PommelError(
    "encryption_locked",
    `The system's keychain has no key "${account}" of the service "pommel".`,
    `Unlock the keychain, put the key back, or put a copy of it at ${locateDefaultKeyFile(id)}: without it, nothing here can be decrypted, the code index included. Nothing was changed.`,
  );
}

function withKeychainEntry<T>(account: string, use: (entry: KeychainEntry) => T): T {
  let Entry: new (service: string, account: string, options: object) => KeychainEntry;
  try {
    ({ Entry } = createRequire(import.meta.url)(keychainPackage));
  } catch (error) {
    throw new PommelError(
      "encryption_unavailable",
      `The system's keychain needs the package ${keychainPackage}, which cannot be loaded.`,
      `Install it where Pommel is: \`npm install -g ${keychainPackage}\`.`,
      { cause: error },
    );
  }
  try {
    return use(new Entry("pommel", account, lasting));
  } catch (error) {
    throw new PommelError(
      "encryption_locked",
      `The system's keychain cannot be used: ${getErrorMessage(error)}.`,
      "Unlock the keychain. Without a desktop there is none: then use a file or a passphrase for a new key. Nothing was changed.",
      { cause: error },
    );
  }
}

/** The data keys that this process and its threads have unlocked. A passphrase takes a third of a second. */

const shared = "pommel data keys";
const loadWorkerThreads = () => process.getBuiltinModule("node:worker_threads");

/** The key of a database by its place; null for what is not encrypted. @throws PommelError as `unlock` */
export function findDatabaseKey(file: string): string | null {
  const envelope = findEnvelopeOfDatabase(file);
  return envelope && deriveDatabaseKey(unlock(envelope));
}

/**
 * @throws PommelError `encryption_locked` where the key is not there, `encryption_wrong_key`, `encryption_unavailable` where
 *   a package is missing
 */
export function unlock(envelope: Envelope): DataKey {
  const known = getUnlockedKeys();
  const bytes = known[envelope.id];
  if (bytes !== undefined) return { id: envelope.id, bytes: Buffer.from(bytes, "hex") };
  for (const wrappingKey of listWrappingKeys(envelope)) {
    const key = unwrapDataKey(envelope, wrappingKey);
    if (key) {
      rememberKey(key);
      return key;
    }
  }
  throw makeWrongKeyError(envelope);
}

function rememberKey({ id, bytes }: DataKey): void {
  loadWorkerThreads().setEnvironmentData(shared, { ...getUnlockedKeys(), [id]: bytes.toString("hex") });
}

/** What is needed again is unlocked again. */
export function forgetKeys(): void {
  loadWorkerThreads().setEnvironmentData(shared, {});
}

/** A worker thread has what was unlocked before it began. */
const getUnlockedKeys = (): Record<string, string> =>
  (loadWorkerThreads().getEnvironmentData(shared) as Record<string, string> | undefined) ?? {};

function makeWrongKeyError({ source }: Envelope): PommelError {
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

/**
 * A text of the spool or the log, sealed or not, as it was written.
 * @throws PommelError as `unlock`; for one that was sealed for another key, or changed
 */
export const unsealText = (text: string): string =>
  isSealed(text) ? unseal(text, derivePrivateKey(unlock(requireHomeEnvelope()))) : text;

/** What `sealBytes` sealed in this home. @throws as `unsealText` */
export const unsealHomeBytes = (sealed: Buffer): Buffer =>
  unsealBytes(sealed, derivePrivateKey(unlock(requireHomeEnvelope())));

function requireHomeEnvelope(): Envelope {
  const envelope = readHomeEnvelope();
  if (envelope === null) throw new Error("it is sealed, and encryption.json is gone");
  return envelope;
}
