import { deflateRawSync, inflateRawSync } from "node:zlib";

/** A turn's lines as they are archived: JSON, deflated. */
export function packContent(lines: readonly unknown[]): Buffer {
  return deflateRawSync(JSON.stringify(lines), { level: 6 });
}

/** The lines of a turn; of the shape that they were packed with. */
export function unpackContent<Line = unknown>(content: Uint8Array): Line[] {
  return JSON.parse(inflateRawSync(content).toString()) as Line[];
}
