import type { Understood } from "./understand.ts";
import { link } from "./understand.ts";

/*
 * A fifth of a transcript's bytes are lines that tell how far a tool is, each with everything it printed so far, and
 * snapshots of files. They are recognised without parsing them: in JSON, a quote within a string is escaped, so what
 * stands before the first nested value can be read as it is.
 */

const snapshots = ["file-history-snapshot", "file-history-delta"].map(
  (type) => [type, Buffer.from(`{"type":"${type}",`)] as const,
);
const scalar = String.raw`(?:"(?:[^"\\]|\\.)*"|null|true|false|-?[\d.]+)`;
const progressStart = new RegExp(
  String.raw`^\{(?:"parentUuid":(?:null|"([\w-]{1,64})"),)(?:"isSidechain":false,)(?:"\w+":${scalar},)*"type":"progress",`,
);
const progressEnd = new RegExp(String.raw`"uuid":"([\w-]{1,64})"(?:,"\w+":${scalar})*\}\s*$`);
const nextLine = '{"parentUuid"';

/** What a line comes to that is known for noise by how it begins and ends; null for one that has to be parsed. */
export function noise(line: Buffer): Understood | null {
  for (const [type, start] of snapshots) {
    if (line.subarray(0, start.length).equals(start)) return { line: null, skipped: `type:${type}` };
  }
  // Nearly all other lines say soon what else they are.
  const head = line.toString("latin1", 0, 2048);
  const at = head.indexOf('"type":"');
  if (at === -1 || !head.startsWith("progress", at + 8)) return null;
  const start = progressStart.exec(head);
  const end = start && progressEnd.exec(line.toString("latin1", Math.max(0, line.length - 512)));
  // Of two clients that write at once, one line may begin within another.
  if (!end || line.indexOf(nextLine, 1) !== -1) return null;
  return { line: link(end[1]!, start[1] ?? null), skipped: "type:progress" };
}
