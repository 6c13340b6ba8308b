import { deflateRawSync, inflateRawSync } from "node:zlib";

/** A turn's lines as they are archived: JSON, deflated. */
export function packContent(lines: readonly unknown[]): Buffer {
  return deflateRawSync(JSON.stringify(lines), { level: 6 });
}

/** The JSON of a turn's lines. */
export function inflateContent(content: Uint8Array): string {
  return inflateRawSync(content).toString();
}

/** The lines of a turn; of the shape that they were packed with. */
export function unpackContent<Line = unknown>(content: Uint8Array): Line[] {
  return JSON.parse(inflateContent(content)) as Line[];
}
