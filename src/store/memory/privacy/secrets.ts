import { randomBytes } from "node:crypto";
import type { Memory } from "../memory.ts";

const keyName = "secrets key";

/** The key of this memory's fingerprints of secrets (redact/ledger.ts); made when it is first asked for. */
export function secretKey(memory: Memory): Uint8Array {
  return memory.inTransaction(() => {
    const known = memory.meta(keyName);
    if (known !== null) return Buffer.from(known, "hex");
    const key = randomBytes(32);
    memory.setMeta(keyName, key.toString("hex"));
    return key;
  });
}

/** Which of a session's secrets of a type is which; see redact/scrubber.ts. */
export interface SecretRecord {
  type: string;
  fingerprint: string;
  /** From 1, within session and type. */
  number: number;
}

export function secretsOf(memory: Memory, sessionId: number): SecretRecord[] {
  return memory
    .prepare("SELECT type, fingerprint, number FROM secrets WHERE session_id = ? ORDER BY type, number")
    .all(sessionId) as SecretRecord[];
}

/** Adds secrets of a session; those that are known keep their number. */
export function saveSecrets(memory: Memory, sessionId: number, secrets: readonly SecretRecord[]): void {
  if (secrets.length === 0) return;
  memory.inTransaction(() => {
    const insert = memory.prepare(
      `INSERT INTO secrets (session_id, type, fingerprint, number) VALUES (?, ?, ?, ?)
       ON CONFLICT (session_id, type, fingerprint) DO NOTHING`,
    );
    for (const { type, fingerprint, number } of secrets) insert.run(sessionId, type, fingerprint, number);
  });
}

/** How many different secrets of each type were replaced, and in how many sessions: those with the most first. */
export function countSecrets(memory: Memory): {
  types: { type: string; secrets: number; sessions: number }[];
  sessions: number;
} {
  const types = memory
    .prepare(
      `SELECT type, count(DISTINCT fingerprint) AS secrets, count(DISTINCT session_id) AS sessions
       FROM secrets GROUP BY type ORDER BY secrets DESC, type`,
    )
    .all() as { type: string; secrets: number; sessions: number }[];
  const { sessions } = memory.prepare("SELECT count(DISTINCT session_id) AS sessions FROM secrets").get() as {
    sessions: number;
  };
  return { types, sessions };
}
