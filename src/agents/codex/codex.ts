import type { Agent, Cursor, ReadBatch, TranscriptLine } from "../agent.ts";
import { isBlank, isWholeJson, parseJsonLine } from "../reading/json-lines.ts";
import { KeptStates } from "../reading/kept-states.ts";
import { readLines } from "../reading/read-lines.ts";
import { identify } from "./describe.ts";
import { directoryOf, isTranscript, list, listCompressed, roots } from "./list.ts";
import { codexProfile } from "./profile.ts";
import { codexSetup } from "./setup.ts";
import { newState, type State } from "./state.ts";
import { understand } from "./understand.ts";

/** They say nothing worth remembering. */
const ignoredLineTypes: ReadonlySet<string> = new Set(
  `
  event_msg/agent_reasoning event_msg/item_completed/CollabAgentToolCall
  event_msg/item_completed/CommandExecution event_msg/item_completed/ContextCompaction
  event_msg/item_completed/Reasoning event_msg/item_completed/SubAgentActivity event_msg/task_complete
  event_msg/task_started event_msg/thread_settings_applied event_msg/token_count
  inter_agent_communication_metadata response_item/additional_tools response_item/custom_tool_call
  response_item/custom_tool_call_output response_item/function_call_output response_item/ghost_snapshot
  response_item/message response_item/reasoning session_meta token_usage_record turn_context world_state
  `.match(/\S+/g),
);

/** Codex CLI; its rollouts as clients from 0.63 to 0.169 write them. */
export const codex: Agent = {
  ...codexProfile,
  setup: codexSetup,
  roots,
  sortsByPlace: false,
  isTranscript,
  directoryOf,
  ignoredLineTypes,
  list,
  sealed: { why: "compressed by the client (zstd)", list: listCompressed },
  describe: async (file) => (await identify(file))?.info ?? null,
  read,
};

const kept = new KeptStates<State>();

async function* read(
  file: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const state = kept.take(file, cursor) ?? (await recall(file, cursor?.offset ?? 0, signal));
  let end = cursor;
  for await (const batch of readLines(file, cursor, { signal, isWhole: isWholeJson })) {
    const lines: TranscriptLine[] = [];
    const skipped: Record<string, number> = batch.tooLong > 0 ? { too_long: batch.tooLong } : {};
    for (const { bytes } of batch.lines) {
      if (isBlank(bytes)) continue;
      const value = parseJsonLine(bytes);
      const { lines: calls, skipped: reason } = value
        ? understand(value, state)
        : { lines: [], skipped: "malformed" };
      lines.push(...calls);
      if (reason) skipped[reason] = (skipped[reason] ?? 0) + 1;
    }
    end = batch.cursor;
    yield { lines, cursor: batch.cursor, skipped };
  }
  // A file that says no more whose it is has to be asked again.
  if (end !== null && state.thread !== "") kept.put(file, end, state);
}

/** What lines leave for those behind is found by understanding them again: it hangs on nearly all of them. */
async function recall(file: string, end: number, signal?: AbortSignal): Promise<State> {
  const state = newState(await identify(file, signal));
  if (end === 0) return state;
  for await (const { lines } of readLines(file, null, { end, signal, isWhole: isWholeJson })) {
    for (const { bytes } of lines) {
      const value = isBlank(bytes) ? null : parseJsonLine(bytes);
      if (value) understand(value, state);
    }
  }
  return state;
}
