import { createHmac } from "node:crypto";
import type { SecretLedger } from "./scrubber.ts";

/** A row of `secrets`, without its session. */
interface KnownSecret {
  type: string;
  /** Six hexadecimal digits. */
  fingerprint: string;
  number: number;
}

/** A ledger that can be stored and restored. */
interface StoredLedger extends SecretLedger {
  /** Entries added since the last call. */
  takeNew(): KnownSecret[];
}

/**
 * Numbers a session's secrets. Stores only 24 bits of each : an HMAC-SHA256 under a key that stays on this machine:
 * enough to tell a session's secrets apart, too few to confirm a guess (one guess in 16 million fits by chance, and
 * every secret fits that many guesses).
 * @param fingerprintKey random, at least 16 bytes, the same for all of a memory's sessions
 */
export function createLedger(fingerprintKey: Uint8Array, known: Iterable<KnownSecret> = []): StoredLedger {
  const numbers = new Map<string, number>();
  const last = new Map<string, number>();
  const added: KnownSecret[] = [];
  const remember = ({ type, fingerprint, number }: KnownSecret) => {
    numbers.set(`${type} ${fingerprint}`, number);
    last.set(type, Math.max(number, last.get(type) ?? 0));
  };
  for (const secret of known) remember(secret);

  return {
    numberOf(type, secret) {
      const fingerprint = createHmac("sha256", fingerprintKey)
        .update(`${type}\0${secret}`)
        .digest("hex")
        .slice(0, 6);
      const number = numbers.get(`${type} ${fingerprint}`);
      if (number !== undefined) return number;
      const entry = { type, fingerprint, number: (last.get(type) ?? 0) + 1 };
      remember(entry);
      added.push(entry);
      return entry.number;
    },
    takeNew: () => added.splice(0),
  };
}
