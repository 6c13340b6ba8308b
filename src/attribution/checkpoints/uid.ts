import { createHash } from "node:crypto";

/** The id of a commit's checkpoint, the same on every machine: twelve hexadecimal digits. */
export function checkpointUid(hash: string): string {
  return createHash("sha256").update(`pommel checkpoint ${hash}`).digest("hex").slice(0, 12);
}
