import type { IngestOptions } from "./ingest/ingest.ts";

/** Everything needed to change stored sessions; whoever reads transcripts has it. */
export type SessionWork = Pick<
  IngestOptions,
  "memory" | "embedder" | "chunks" | "maxChunks" | "root" | "worktrees" | "log"
>;

/** The same, with everything needed to scrub. */
export type ScrubbingWork = SessionWork & Pick<IngestOptions, "scrubber" | "ledgerKey">;
