import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * The pages of a database file that SQLite may refuse to open, as its header, its schema or its log are damaged.
 * https://www.sqlite.org/fileformat2.html
 */

/** What SQLite has made since 2016, and what Pommel leaves as it is. Bytes. */
const pageBytes = 4096;

/** What SQLCipher keeps at the end of a page: an initialisation vector and an HMAC. Bytes. */
const vectorBytes = 16;
const hmacBytes = 64;

export interface Pages {
  count: number;
  /** Bytes of a page that SQLite uses. */
  usable: number;
  /** The page of a number from 1 on; null where there is none, or it was changed after it was encrypted. */
  read(number: number): Buffer | null;
  close(): void;
}

/** @param key as `findDatabaseKey`: the file may be plain all the same */
export function openPages(file: string, key: string | null): Pages {
  const fd = openSync(file, "r");
  const log = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, "r") : null;
  const { logged, count } = log === null ? { logged: new Map<number, number>(), count: 0 } : readFrames(log);
  const raw = (number: number) => {
    const at = logged.get(number);
    return at === undefined ? readPageBytes(fd, (number - 1) * pageBytes) : readPageBytes(log!, at);
  };
  const decrypt = key === null ? null : findDecryption(raw, Buffer.from(key, "hex"));
  return {
    count: count || Math.ceil(fstatSync(fd).size / pageBytes),
    usable: decrypt === null ? pageBytes - findReservedBytes(raw(1)) : pageBytes - vectorBytes - hmacBytes,
    read(number) {
      const page = raw(number);
      return page && decrypt ? decrypt(page, number) : page;
    },
    close() {
      closeSync(fd);
      if (log !== null) closeSync(log);
    },
  };
}

function readPageBytes(fd: number, position: number): Buffer | null {
  const page = Buffer.alloc(pageBytes);
  try {
    return readSync(fd, page, 0, pageBytes, position) > 0 ? page : null;
  } catch {
    // A bad sector.
    return null;
  }
}

/** One that was encrypted may still leave room for what it needed then. */
const findReservedBytes = (first: Buffer | null) =>
  first?.[20] === vectorBytes + hmacBytes ? vectorBytes + hmacBytes : 0;

const frameHeadBytes = 24;

/**
 * Where the log holds the last committed content of pages, and how many there were then (0: it says nothing). It ends with
 * the first frame whose checksum is wrong.
 */
function readFrames(log: number): { logged: Map<number, number>; count: number } {
  const logged = new Map<number, number>();
  let count = 0;
  const head = Buffer.alloc(32);
  readSync(log, head, 0, 32, 0);
  const isBigEndian = head.readUInt32BE(0) === 0x377f0683;
  if (head.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1 || head.readUInt32BE(8) !== pageBytes)
    return { logged, count };
  let sums = computeChecksum(head.subarray(0, 24), [0, 0], isBigEndian);
  const pending = new Map<number, number>();
  const frame = Buffer.alloc(frameHeadBytes + pageBytes);
  for (let at = 32; readSync(log, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    sums = computeChecksum(frame.subarray(0, 8), sums, isBigEndian);
    sums = computeChecksum(frame.subarray(frameHeadBytes), sums, isBigEndian);
    const isOfThisLog = frame.subarray(8, 16).equals(head.subarray(16, 24));
    if (!isOfThisLog || frame.readUInt32BE(16) !== sums[0] || frame.readUInt32BE(20) !== sums[1]) break;
    pending.set(frame.readUInt32BE(0), at + frameHeadBytes);
    // The last frame of a transaction says how large the database is.
    if (frame.readUInt32BE(4) === 0) continue;
    count = frame.readUInt32BE(4);
    for (const [page, place] of pending) logged.set(page, place);
    pending.clear();
  }
  return { logged, count };
}

function computeChecksum(bytes: Buffer, [a, b]: [number, number], isBigEndian: boolean): [number, number] {
  let [first, second] = [a, b];
  for (let at = 0; at < bytes.length; at += 8) {
    const [x, y] = isBigEndian
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    first = (first + x + second) >>> 0;
    second = (second + y + first) >>> 0;
  }
  return [first, second];
}

type Decryption = (page: Buffer, number: number) => Buffer | null;

/** Of SQLCipher 4, with a raw key; null where the file is plain. https://www.zetetic.net/sqlcipher/design/ */
function findDecryption(raw: (number: number) => Buffer | null, key: Buffer): Decryption | null {
  const first = raw(1);
  if (first === null || first.subarray(0, 16).equals(plainBeginning)) return null;
  for (const salt of listSimilarSalts(first.subarray(0, vectorBytes))) {
    const decrypt = createDecryption(key, salt);
    if ([1, 2, 3].some((number) => decrypt(raw(number) ?? Buffer.alloc(0), number) !== null)) return decrypt;
  }
  // A plain one with a damaged beginning, or one whose first pages are gone.
  return isLikePlain(first) ? null : createDecryption(key, first.subarray(0, vectorBytes));
}

const plainBeginning = Buffer.from("SQLite format 3\0");
const isLikePlain = (first: Buffer) =>
  plainBeginning.filter((byte, i) => byte === first[i]).length >= plainBeginning.length / 2;

/** The salt is needed for all pages, and has no copy: where it fits none, one with another byte may. */
function* listSimilarSalts(salt: Buffer): Iterable<Buffer> {
  yield salt;
  for (let at = 0; at < salt.length; at++) {
    for (let byte = 0; byte < 256; byte++) {
      const other = Buffer.from(salt);
      other[at] = byte;
      yield other;
    }
  }
}

function createDecryption(key: Buffer, salt: Buffer): Decryption {
  const hmacKey = pbkdf2Sync(
    key,
    salt.map((byte) => byte ^ 0x3a),
    2,
    32,
    "sha512",
  );
  return (page, number) => {
    if (page.length !== pageBytes) return null;
    const begin = number === 1 ? salt.length : 0;
    const end = pageBytes - vectorBytes - hmacBytes;
    const place = Buffer.alloc(4);
    place.writeUInt32LE(number);
    const hmac = createHmac("sha512", hmacKey)
      .update(page.subarray(begin, end + vectorBytes))
      .update(place)
      .digest();
    if (!timingSafeEqual(hmac, page.subarray(end + vectorBytes))) return null;
    const cipher = createDecipheriv("aes-256-cbc", key, page.subarray(end, end + vectorBytes));
    cipher.setAutoPadding(false);
    const plain = Buffer.alloc(pageBytes);
    cipher.update(page.subarray(begin, end)).copy(plain, begin);
    return plain;
  };
}
