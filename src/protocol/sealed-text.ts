import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { locateHome } from "../base/home.ts";

/**
 * Texts that whoever has no key can write, and only the key's owner read: what hooks leave in the spool, and lines of the
 * log. Each is encrypted to the home's public key: a new X25519 key for each, HKDF-SHA256, AES-256-GCM (as age's X25519
 * recipients, https://age-encryption.org/v1, whose library would cost each hook several milliseconds).
 *
 * Hooks load this: it imports next to nothing, and node:crypto only where something is encrypted.
 */

/** A sealed text stands alone on its line. */
const prefix = "pommel-sealed-1 ";

/** SPKI of an X25519 key, but for the key itself (RFC 8410). */
const spki = Buffer.from("302a300506032b656e032100", "hex");

const loadCrypto = () => process.getBuiltinModule("node:crypto");

/**
 * The public key of the home, raw; null where nothing is encrypted.
 * @throws for a damaged `encryption.json`
 */
export function readPublicKey(): Buffer | null {
  let text: string;
  try {
    text = readFileSync(join(locateHome().dataDir, "encryption.json"), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  const { public: key } = JSON.parse(text) as { public?: unknown };
  if (typeof key === "string" && Buffer.from(key, "base64").length === 32) return Buffer.from(key, "base64");
  // Better nothing than something plain.
  throw new Error("encryption.json has no public key");
}

/** `text` as one line that only the owner of the key can read. */
export const seal = (text: string, publicKey: Uint8Array): string =>
  prefix + sealBytes(Buffer.from(text, "utf8"), publicKey).toString("base64");

/** What sealing adds: the key of one use before the content, the tag behind it. Bytes. */
const [ephemeralBytes, tagBytes] = [32, 16];
export const sealedExtraBytes = ephemeralBytes + tagBytes;

/** Bytes that only the owner of the key can read. */
export function sealBytes(content: Uint8Array, publicKey: Uint8Array): Buffer {
  const { createCipheriv, createPublicKey, diffieHellman, generateKeyPairSync } = loadCrypto();
  const one = generateKeyPairSync("x25519");
  const ephemeral = one.publicKey.export({ format: "der", type: "spki" }).subarray(-ephemeralBytes);
  const theirs = createPublicKey({ key: Buffer.concat([spki, publicKey]), format: "der", type: "spki" });
  const shared = diffieHellman({ privateKey: one.privateKey, publicKey: theirs });
  const cipher = createCipheriv("aes-256-gcm", deriveKey(shared, ephemeral, publicKey), nonce);
  return Buffer.concat([ephemeral, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Its key is used once, so its nonce need not differ. */
const nonce = Buffer.alloc(12);

function deriveKey(shared: Buffer, ephemeral: Uint8Array, publicKey: Uint8Array): Buffer {
  const salt = Buffer.concat([ephemeral, publicKey]);
  return Buffer.from(loadCrypto().hkdfSync("sha256", shared, salt, "pommel sealed text", 32));
}

export const isSealed = (text: string): boolean => text.startsWith(prefix);

/** @throws when it was changed, or sealed for another key */
export const unseal = (line: string, privateKey: KeyObject): string =>
  unsealBytes(Buffer.from(line.slice(prefix.length).trim(), "base64"), privateKey).toString("utf8");

/** What `sealBytes` sealed. @throws when it was changed, or sealed for another key */
export function unsealBytes(bytes: Buffer, privateKey: KeyObject): Buffer {
  const { createDecipheriv, createPublicKey, diffieHellman } = loadCrypto();
  const ephemeral = bytes.subarray(0, ephemeralBytes);
  const content = bytes.subarray(ephemeralBytes, -tagBytes);
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const theirs = createPublicKey({ key: Buffer.concat([spki, ephemeral]), format: "der", type: "spki" });
  const shared = diffieHellman({ privateKey, publicKey: theirs });
  const decipher = createDecipheriv("aes-256-gcm", deriveKey(shared, ephemeral, publicKey), nonce);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(content), decipher.final()]);
}
