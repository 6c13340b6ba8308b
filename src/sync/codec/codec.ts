import { createHash, createHmac, hkdfSync } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { PommelError } from "../../base/errors.ts";

/** How shared files are stored in git: plain or encrypted. */
export interface Codec {
  /** Possible paths of a file in git; it is written to the first. */
  listNames(path: string): readonly string[];
  /** The path for a name; null when only the content has it. */
  pathAt(name: string): string | null;
  /** null: unreadable, or a file of another path. */
  open(name: string, content: Uint8Array): Promise<{ path: string; text: string } | null>;
  seal(path: string, text: string): Promise<Uint8Array>;
  /** Files needed to read the others. */
  control: ReadonlyMap<string, Uint8Array>;
}

/** Marks a branch as encrypted, and how. */
export const markerPath = "pommel.json";
/** Directory of keys. */
export const keysDir = "keys/";

/** Whether a path in git is a control file rather than a shared one. */
export const isControl = (name: string) => name === markerPath || name.startsWith(keysDir);

export const plain: Codec = {
  listNames: (path) => [path],
  pathAt: (name) => name,
  open: async (name, content) => ({ path: name, text: Buffer.from(content).toString() }),
  seal: async (_path, text) => Buffer.from(text),
  control: new Map(),
};

/** Canonical JSON: keys sorted at any depth, no spaces, no undefined values. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => compareText(a, b));
  // Keeps keys such as "__proto__".
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

/** By code units, independent of the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type KeyPart = number | string | null;

/** Compares part by part; null comes first. */
export function compareParts(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (const [i, one] of a.entries()) {
    const other = b[i] ?? null;
    if (one === other) continue;
    if (one === null) return -1;
    if (other === null) return 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

/**
 * Encrypts with age (https://age-encryption.org/v1): content to an X25519 identity, and names as a keyed hash of the
 * path, so that not even ids are readable. The content includes its path, so that files cannot be swapped. With a
 * passphrase, the branch holds the identity encrypted with it.
 */

const load = () => import("age-encryption");

/** Larger content is rejected, so that a small file cannot exhaust memory. Bytes. */
const maxContentBytes = 1 << 30;

const marker = Buffer.from(`${toCanonicalJson({ encryption: "age", version: 1 })}\n`);

export async function makeIdentity(): Promise<string> {
  const { generateX25519Identity } = await load();
  return generateX25519Identity();
}

/** The public half of an identity. */
export async function toRecipient(identity: string): Promise<string> {
  const { identityToRecipient } = await load();
  return identityToRecipient(identity);
}

/** An id that reveals nothing about the key. */
export async function computeKeyId(identity: string): Promise<string> {
  const recipient = await toRecipient(identity);
  return createHash("sha256").update(`pommel sync key ${recipient}`).digest("hex").slice(0, 16);
}

/**
 * @param identities candidates for reading; all machines write with the one with the first id
 * @param keys the required files below `keys/`
 */
export async function createSealedCodec(
  identities: readonly string[],
  keys: ReadonlyMap<string, Uint8Array>,
): Promise<Codec> {
  const { Encrypter, Decrypter } = await load();
  const byId = new Map<string, string>();
  for (const identity of identities) byId.set(await computeKeyId(identity), identity);
  const ordered = [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, identity]) => identity);
  const nameKeys = ordered.map((identity) =>
    Buffer.from(hkdfSync("sha256", identity, "", "pommel sync names", 32)),
  );
  const recipient = await toRecipient(ordered[0]!);
  const listSealedNames = (path: string) =>
    nameKeys.map((key) => {
      const name = createHmac("sha256", key).update(path).digest("hex");
      return `data/${name.slice(0, 2)}/${name.slice(2)}.age`;
    });
  return {
    listNames: listSealedNames,
    pathAt: () => null,
    async open(name, content) {
      const decrypter = new Decrypter();
      for (const identity of ordered) decrypter.addIdentity(identity);
      try {
        const packed = await decrypter.decrypt(content);
        const whole = inflateRawSync(packed, { maxOutputLength: maxContentBytes });
        const end = whole.indexOf(10);
        const path = JSON.parse(whole.subarray(0, end).toString()) as unknown;
        if (typeof path !== "string" || !listSealedNames(path).includes(name)) return null;
        return { path, text: whole.subarray(end + 1).toString() };
      } catch {
        return null;
      }
    },
    async seal(path, text) {
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      return encrypter.encrypt(deflateRawSync(`${JSON.stringify(path)}\n${text}`));
    },
    control: new Map([[markerPath, marker], ...keys]),
  };
}

/** A key file for the branch: the identity encrypted with the passphrase. */
export async function lockIdentity(
  identity: string,
  passphrase: string,
  workFactor?: number,
): Promise<{ path: string; content: Uint8Array }> {
  const { Encrypter } = await load();
  const encrypter = new Encrypter();
  if (workFactor !== undefined) encrypter.setScryptWorkFactor(workFactor);
  encrypter.setPassphrase(passphrase);
  const content = await encrypter.encrypt(identity);
  return { path: `${keysDir}${await computeKeyId(identity)}.age`, content };
}

/** null: wrong passphrase. */
export async function unlockIdentity(content: Uint8Array, passphrase: string): Promise<string | null> {
  const { Decrypter } = await load();
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return parseIdentities(await decrypter.decrypt(content, "text"))[0] ?? null;
  } catch {
    return null;
  }
}

/** The identities in a key file of age-keygen. */
export function parseIdentities(text: string): string[] {
  return text.split("\n").flatMap((line) => /^\s*(AGE-SECRET-KEY-1[A-Z0-9]+)\s*$/.exec(line)?.[1] ?? []);
}

/** A public note on the branch that names the required key file. */
export async function makeKeyNotice(identity: string): Promise<{ path: string; content: Uint8Array }> {
  const text = "Encrypted with a key file (sync-key.txt), which is not here.\n";
  return { path: `${keysDir}${await computeKeyId(identity)}.txt`, content: Buffer.from(text) };
}

export function makeWrongPassphraseError(): PommelError {
  return new PommelError(
    "sync_refused",
    "Wrong passphrase for the shared memory. Nothing was changed.",
    "Try again; every machine needs the same one.",
  );
}
