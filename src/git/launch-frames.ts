/** What a launcher and those that have it start programs say to each other: frames of a kind, a length and a payload. */

export const frameKinds = { start: 1, stdin: 2, stdinEnd: 3, stdout: 4, stderr: 5, end: 6 } as const;
type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export interface LaunchRequest {
  file: string;
  args: readonly string[];
  /** Added to the launcher's environment; null: left out of it. */
  env: Readonly<Record<string, string | null>>;
  /** Of the thread that asks: what works in the background has its programs do so as well. */
  nice: number;
  hasStdin: boolean;
}

export interface LaunchEnd {
  /** null: a signal ended it. */
  code: number | null;
  /** Why it was not started. */
  error?: { code: string; message: string };
}

/** A byte for the kind, four for the payload's length. */
const headerBytes = 5;

export function makeFrame(kind: FrameKind, payload: string | Uint8Array): Buffer {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

/** Puts frames together again from the pieces in which they arrive. */
export class FrameReader {
  private parts: Buffer[] = [];
  private length = 0;

  read(bytes: Buffer): { kind: number; payload: Buffer }[] {
    this.parts.push(bytes);
    this.length += bytes.length;
    const frames: { kind: number; payload: Buffer }[] = [];
    while (this.length >= headerBytes) {
      // Joined only where a frame is whole, so that a long one is copied once.
      if (this.parts[0]!.length < headerBytes) this.parts = [Buffer.concat(this.parts)];
      const payloadBytes = this.parts[0]!.readUInt32BE(1);
      if (this.length < headerBytes + payloadBytes) break;
      const all = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
      frames.push({ kind: all.readUInt8(0), payload: all.subarray(headerBytes, headerBytes + payloadBytes) });
      const rest = all.subarray(headerBytes + payloadBytes);
      this.parts = [rest];
      this.length = rest.length;
    }
    return frames;
  }
}
