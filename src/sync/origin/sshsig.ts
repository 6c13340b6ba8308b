import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/**
 * Signatures as `ssh-keygen -Y sign` makes them, checked in process.
 * https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig and PROTOCOL.u2f; keys and their signatures as
 * in RFC 4253, 5656, 8332 and 8709.
 */

/** What a signature is for: one that was made for git, or for another program, says nothing here. */
export const namespace = "pommel";

const magic = Buffer.from("SSHSIG");
const begin = "-----BEGIN SSH SIGNATURE-----";
const end = "-----END SSH SIGNATURE-----";
const hashes: ReadonlySet<string> = new Set(["sha256", "sha512"]);
const minRsaBits = 2048;
/** The holder touched the security key. */
const userPresentFlag = 1;

/** Reads SSH's strings and numbers, to the end. @throws RangeError where there are no more */
class SshReader {
  private at = 0;
  constructor(private readonly bytes: Buffer) {}

  readUint32(): number {
    const value = this.bytes.readUInt32BE(this.at);
    this.at += 4;
    return value;
  }

  readByte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  readString(): Buffer {
    const length = this.readUint32();
    if (this.at + length > this.bytes.length) throw new RangeError("cut off");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  readLatin1(): string {
    return this.readString().toString("latin1");
  }

  /** A number of that many bytes (default: as few as it has), without its sign. */
  readInteger(size?: number): Buffer {
    const whole = this.readString();
    const bytes = whole.subarray(whole.findIndex((byte) => byte !== 0));
    if (size === undefined) return bytes;
    if (bytes.length > size) throw new RangeError("too long");
    return Buffer.concat([Buffer.alloc(size - bytes.length), bytes]);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }
}

function encodeString(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as Uint8Array);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** `SHA256:…`, as `ssh-keygen -l` shows a key. */
export const hashKey = (publicKey: Uint8Array): string =>
  `SHA256:${createHash("sha256").update(publicKey).digest("base64").replace(/=+$/, "")}`;

/** The key of a line like `ssh-ed25519 AAAA… comment`; null: it is none. */
export function parsePublicKey(line: string): Buffer | null {
  const [, name, base64 = ""] = /(?:^|\s)([a-z0-9@.-]+) (AAAA[A-Za-z0-9+/=]+)(?:\s|$)/.exec(line) ?? [];
  const key = Buffer.from(base64, "base64");
  try {
    return name !== undefined && new SshReader(key).readLatin1() === name ? key : null;
  } catch {
    return null;
  }
}

/** An Ed25519 key as SSH writes it. */
export function encodePublicKey(key: KeyObject): Buffer {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.concat([encodeString("ssh-ed25519"), encodeString(Buffer.from(x, "base64url"))]);
}

/** What is signed of a message. */
const buildSignedData = (hash: string, message: string | Uint8Array): Buffer =>
  Buffer.concat([
    magic,
    encodeString(namespace),
    encodeString(""),
    encodeString(hash),
    encodeString(createHash(hash).update(message).digest()),
  ]);

/** Signs with an Ed25519 key. */
export function signSsh(key: KeyObject, message: string | Uint8Array): string {
  const version = Buffer.from([0, 0, 0, 1]);
  const signature = Buffer.concat([
    encodeString("ssh-ed25519"),
    encodeString(sign(null, buildSignedData("sha512", message), key)),
  ]);
  const whole = Buffer.concat([
    magic,
    version,
    encodeString(encodePublicKey(key)),
    encodeString(namespace),
    encodeString(""),
    encodeString("sha512"),
    encodeString(signature),
  ]);
  return [begin, ...(whole.toString("base64").match(/.{1,70}/g) ?? []), end, ""].join("\n");
}

/** The fingerprint of the key that signed a message; null: nobody did, or with a key or for a purpose that does not count. */
export function findSigner(armored: string, message: string | Uint8Array): string | null {
  try {
    return verifySigner(armored, message);
  } catch {
    // Whatever is wrong with it: it is no signature.
    return null;
  }
}

function verifySigner(armored: string, message: string | Uint8Array): string | null {
  const text = armored.trim();
  if (!text.startsWith(begin) || !text.endsWith(end)) return null;
  const bytes = Buffer.from(text.slice(begin.length, -end.length), "base64");
  if (!bytes.subarray(0, magic.length).equals(magic)) return null;
  const reader = new SshReader(bytes.subarray(magic.length));
  const version = reader.readUint32();
  const publicKey = reader.readString();
  const of = reader.readLatin1();
  reader.readString();
  const hash = reader.readLatin1();
  const signature = reader.readString();
  if (version !== 1 || of !== namespace || !hashes.has(hash) || !reader.isAtEnd) return null;
  return isSignedBy(publicKey, signature, buildSignedData(hash, message)) ? hashKey(publicKey) : null;
}

const curves: Readonly<Record<string, { crv: string; hash: string; size: number }>> = {
  nistp256: { crv: "P-256", hash: "sha256", size: 32 },
  nistp384: { crv: "P-384", hash: "sha384", size: 48 },
  nistp521: { crv: "P-521", hash: "sha512", size: 66 },
};
const rsaHashes: Readonly<Record<string, string>> = { "rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512" };

/** @throws whatever a malformed key or signature leads to */
function isSignedBy(publicKey: Buffer, signature: Buffer, data: Buffer): boolean {
  const key = new SshReader(publicKey);
  const given = new SshReader(signature);
  const type = key.readLatin1();
  const algorithm = given.readLatin1();
  const value = given.readString();
  if (type === "ssh-rsa") {
    const [e, n] = [key.readInteger(), key.readInteger()];
    const hash = rsaHashes[algorithm];
    if (hash === undefined || n.length * 8 < minRsaBits) return false;
    return verify(hash, data, importPublicKey({ kty: "RSA", e, n }), value);
  }
  if (type !== algorithm) return false;
  const [, security, kind, curve = ""] =
    /^(sk-)?(?:(ssh-ed25519)|ecdsa-sha2-(nistp\d+))(?:@openssh\.com)?$/.exec(type) ?? [];
  if (kind !== undefined) {
    const x = key.readString();
    const signed = security === undefined ? data : buildTouchedMessage(key, given, data);
    return signed !== null && verify(null, signed, importPublicKey({ kty: "OKP", crv: "Ed25519", x }), value);
  }
  const known = Object.hasOwn(curves, curve) ? curves[curve] : undefined;
  if (known === undefined || key.readLatin1() !== curve) return false;
  const { crv, hash, size } = known;
  const point = key.readString();
  if (point.length !== 1 + 2 * size || point[0] !== 4) return false;
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)];
  const signed = security === undefined ? data : buildTouchedMessage(key, given, data);
  const parts = new SshReader(value);
  const both = Buffer.concat([parts.readInteger(size), parts.readInteger(size)]);
  if (signed === null || !parts.isAtEnd) return false;
  const ecKey = importPublicKey({ kty: "EC", crv, x, y });
  return verify(hash, signed, { key: ecKey, dsaEncoding: "ieee-p1363" }, both);
}

/** What a security key signs; null: without its holder's touch. */
function buildTouchedMessage(key: SshReader, given: SshReader, data: Buffer): Buffer | null {
  const application = key.readString();
  const flags = given.readByte();
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(given.readUint32());
  if ((flags & userPresentFlag) === 0) return null;
  const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  return Buffer.concat([sha256(application), Buffer.from([flags]), counter, sha256(data)]);
}

function importPublicKey(parts: Record<string, string | Buffer>): KeyObject {
  const texts = Object.entries(parts).map(([name, value]) => [
    name,
    typeof value === "string" ? value : value.toString("base64url"),
  ]);
  return createPublicKey({ format: "jwk", key: Object.fromEntries(texts) as Record<string, string> });
}
