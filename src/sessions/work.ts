import type { IngestOptions } from "./ingest/ingest.ts";

/** What it takes to change what is stored of conversations; whoever reads transcripts has it. */
export type SessionWork = Pick<
  IngestOptions,
  "memory" | "embedder" | "chunks" | "maxChunks" | "root" | "worktrees" | "log"
>;

/** The same with what it takes to scrub. */
export type ScrubbingWork = SessionWork & Pick<IngestOptions, "scrubber" | "ledgerKey">;
