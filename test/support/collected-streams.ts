import type { Streams } from "../../src/terminal/streams.ts";

/** Streams that are no terminal, and what was written to them: results and errors. */
export function collectedStreams(): { streams: Streams; written: { 1: string; 2: string } } {
  const written = { 1: "", 2: "" };
  const streams: Streams = {
    write: (fd, text) => {
      written[fd] += text;
    },
    show: (text) => {
      written[1] += text;
    },
    hasColor: () => false,
    hasLinks: false,
    columns: undefined,
  };
  return { streams, written };
}
