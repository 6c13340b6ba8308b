import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { replaceFile, sync } from "../../base/files/replace-file.ts";
import { locateHome } from "../../base/home.ts";
import { isInside } from "../../base/paths.ts";

/**
 * `encryption.json`: says that what lies beside it is encrypted, and holds the data key, encrypted with the key of its
 * source. A change of the source's key rewrites this file only. In each folder of backups lies a copy.
 */

export const envelopeName = "encryption.json";

const source = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), path: z.string() }),
  z.object({ kind: z.literal("keychain"), account: z.string() }),
  z.object({ kind: z.literal("passphrase"), salt: z.string() }),
]);
export type KeySource = z.infer<typeof source>;

const envelope = z.object({
  version: z.literal(1),
  /** Of the data key: stays the same when the source's key changes. */
  id: z.string(),
  source,
  /** The data key, AES-256-GCM: nonce, text, tag. Base64. */
  wrapped: z.string(),
  /** X25519, raw, base64: what hooks and logs encrypt with, who have no key. */
  public: z.string(),
});
export type Envelope = z.infer<typeof envelope>;

/** What databases and sealed texts are encrypted with. */
export interface DataKey {
  id: string;
  bytes: Buffer;
}

/**
 * The one that a database is encrypted by: its own, that of its folder, that of the project whose backups are there, or
 * the home's.
 * @throws PommelError `encryption_damaged`
 */
export function findEnvelopeOfDatabase(file: string): Envelope | null {
  const dir = dirname(file);
  const own = readEnvelopeFile(locateOwnEnvelope(file)) ?? readEnvelope(dir);
  const around = basename(dir) === "backups" ? readEnvelope(dirname(dir)) : null;
  return own ?? around ?? (isOfHome(file) ? readHomeEnvelope() : null);
}

/** Of a copy that lies in a folder with others, of whatever projects. */
export const locateOwnEnvelope = (database: string): string => `${database}.${envelopeName}`;

/** That of everything in the home. @throws PommelError `encryption_damaged` */
export const readHomeEnvelope = (): Envelope | null => readEnvelope(locateHome().dataDir);

function isOfHome(file: string): boolean {
  const { dataDir, cacheDir } = locateHome();
  return isInside(file, dataDir) || isInside(file, cacheDir);
}

/** @throws PommelError `encryption_damaged` */
export const readEnvelope = (dir: string): Envelope | null => readEnvelopeFile(join(dir, envelopeName));

function readEnvelopeFile(file: string): Envelope | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (/^(?:ENOENT|ENOTDIR)$/.test(getErrorCode(error))) return null;
    throw makeDamagedEnvelopeError(file, error);
  }
  try {
    return z.parse(envelope, JSON.parse(text));
  } catch (error) {
    throw makeDamagedEnvelopeError(file, error);
  }
}

function makeDamagedEnvelopeError(file: string, cause: unknown): PommelError {
  return new PommelError(
    "encryption_damaged",
    `${file} cannot be read, and without it nothing here can be decrypted.`,
    "Put a copy of the file back: there is one beside the backups. Nothing was changed.",
    { cause },
  );
}

/**
 * For a file that is no database: whether it is an encrypted one whose `encryption.json` is gone, as far as that can be
 * seen: whole pages of what looks like chance. It could not be opened, so no lock is lost with its descriptor.
 */
export function findLostEnvelopeError(file: string, cause: unknown): PommelError | null {
  if (findEnvelopeOfDatabase(file) !== null) return null;
  let bytes: Buffer;
  try {
    const size = statSync(file).size;
    if (size === 0 || size % 4096 !== 0) return null;
    bytes = readFileSync(file).subarray(0, 4096);
  } catch {
    return null;
  }
  // 4096 bytes of chance have about 256 * (1 - 1/e^16) values, all of them; text and damaged pages far fewer.
  return new Set(bytes).size >= 250
    ? makeDamagedEnvelopeError(join(dirname(file), envelopeName), cause)
    : null;
}

/** It is on the disk when this returns. */
export function writeEnvelope(dir: string, content: Envelope): void {
  writeEnvelopeFile(join(dir, envelopeName), content);
}

/**
 * Before a copy is made of an encrypted database: has its `encryption.json` lie beside it.
 * @param isOwnFolder whether the folder is for copies of this database only
 */
export function keepEnvelopeBeside(copy: string, content: Envelope, isOwnFolder: boolean): void {
  const there = findEnvelopeOfDatabase(copy);
  if (there?.wrapped === content.wrapped) return;
  // Older copies there may need the one that is there.
  if (isOwnFolder && (there === null || there.id === content.id)) writeEnvelope(dirname(copy), content);
  else writeEnvelopeFile(locateOwnEnvelope(copy), content);
}

function writeEnvelopeFile(file: string, content: Envelope): void {
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`, { synced: true });
  sync(dirname(file));
}

export function makeDataKey(): DataKey {
  return { id: randomBytes(8).toString("hex"), bytes: randomBytes(32) };
}

/** @param wrappingKey 32 bytes, of the source */
export function wrap(dataKey: DataKey, from: KeySource, wrappingKey: Buffer): Envelope {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", wrappingKey, nonce).setAAD(Buffer.from(dataKey.id));
  const text = Buffer.concat([cipher.update(dataKey.bytes), cipher.final()]);
  return {
    version: 1,
    id: dataKey.id,
    source: from,
    wrapped: Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64"),
    public: deriveRawPublicKey(dataKey).toString("base64"),
  };
}

/** null: it was encrypted with another key. */
export function unwrapDataKey({ id, wrapped }: Envelope, wrappingKey: Buffer): DataKey | null {
  const bytes = Buffer.from(wrapped, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", wrappingKey, bytes.subarray(0, 12))
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(-16));
    return { id, bytes: Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]) };
  } catch {
    return null;
  }
}

/** What opens a database: SQLite derives its key from these 64 digits. */
export const deriveDatabaseKey = (key: DataKey): string =>
  deriveBytes(key, "pommel database").toString("hex");

/** PKCS #8 of an X25519 key, but for the key itself (RFC 8410). */
const pkcs8 = Buffer.from("302e020100300506032b656e04220420", "hex");

export const derivePrivateKey = (key: DataKey) =>
  createPrivateKey({
    key: Buffer.concat([pkcs8, deriveBytes(key, "pommel sealed texts")]),
    format: "der",
    type: "pkcs8",
  });

const deriveRawPublicKey = (key: DataKey): Buffer =>
  createPublicKey(derivePrivateKey(key)).export({ format: "der", type: "spki" }).subarray(-32);

const deriveBytes = ({ bytes }: DataKey, purpose: string) =>
  Buffer.from(hkdfSync("sha256", bytes, "", purpose, 32));
