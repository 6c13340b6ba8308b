import { randomBytes } from "node:crypto";
import type { Memory } from "../memory.ts";

const name = "secrets key";

/** The key of this memory's fingerprints of secrets (redact/ledger.ts); made when it is first asked for. */
export function secretKey(memory: Memory): Uint8Array {
  return memory.inTransaction(() => {
    const known = memory.meta(name);
    if (known !== null) return Buffer.from(known, "hex");
    const key = randomBytes(32);
    memory.setMeta(name, key.toString("hex"));
    return key;
  });
}
