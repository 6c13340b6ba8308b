import type { Agent, Cursor, ReadBatch, TranscriptLine } from "../agent.ts";
import { isBlank, isWholeJson } from "../reading/json-lines.ts";
import { type FileLine, readLines } from "../reading/read-lines.ts";
import { identify } from "./describe.ts";
import { recall } from "./earlier.ts";
import { hasLine } from "./has-line.ts";
import { parseLine } from "./line-schema.ts";
import { directoryOf, isTranscript, list, roots } from "./list.ts";
import { noise } from "./noise.ts";
import { claudeProfile } from "./profile.ts";
import { retention } from "./retention.ts";
import { claudeSetup } from "./setup.ts";
import { type Surroundings, type Understood, understand } from "./understand.ts";

/** They say nothing worth remembering. */
const ignoredLineTypes: ReadonlySet<string> = new Set(
  `
  api-request api-request-state atis-latch attachment/date attachment/environment attachment/file
  attachment/hook_additional_context attachment/hook_blocking_error attachment/hook_cancelled
  attachment/hook_non_blocking_error attachment/hook_success attachment/hook_system_message attachment/model
  attachment/remote_session_change cost-state file-history-delta file-history-snapshot last-prompt mode
  permission-mode pr-link progress queue-operation summary system/api_error system/informational
  system/local_command system/microcompact_boundary system/stop_hook_summary system/turn_duration title
  tools-used
  `.match(/\S+/g),
);

/** Claude Code; its transcripts as clients from 2.0.76 to 2.1.329 write them. */
export const claude: Agent = {
  ...claudeProfile,
  setup: claudeSetup,
  roots,
  sortsByPlace: true,
  isTranscript,
  directoryOf,
  ignoredLineTypes,
  list,
  retention,
  describe: async (file) => (await identify(file))?.info ?? null,
  read,
};

async function* read(
  file: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const around: Surroundings = {
    agentId: (await identify(file, signal))?.agentId ?? null,
    earlier: await recall(file, cursor?.offset ?? 0, signal),
    speaksOfThis: false,
  };
  for await (const batch of readLines(file, cursor, { signal, isWhole: isWholeJson })) {
    const lines: TranscriptLine[] = [];
    const skipped: Record<string, number> = batch.tooLong > 0 ? { too_long: batch.tooLong } : {};
    for (const found of batch.lines) {
      const { line, skipped: reason } = await understandBytes(file, found, around, signal);
      if (line) lines.push(line);
      if (reason) skipped[reason] = (skipped[reason] ?? 0) + 1;
    }
    yield { lines, cursor: batch.cursor, skipped };
  }
}

async function understandBytes(
  file: string,
  { bytes, start }: FileLine,
  around: Surroundings,
  signal: AbortSignal | undefined,
): Promise<Understood> {
  const known = noise(bytes);
  if (known) return known;
  if (isBlank(bytes)) return { line: null, skipped: null };
  const line = parseLine(bytes);
  if (line === null) return { line: null, skipped: "malformed" };
  const leaf = line.type === "summary" ? line.leafUuid : null;
  const speaksOfThis = typeof leaf === "string" && (await hasLine(file, leaf, start, signal));
  return understand(line, { ...around, speaksOfThis });
}
