/**
 * Kinds of lines that clients are known to write and that say nothing worth remembering, by agent: what else an adapter
 * leaves out may be of a later client, and is told apart by `pm doctor`. Names as `ReadBatch.skipped` has them, after
 * "type:".
 */
const quietKinds: Readonly<Record<string, readonly string[]>> = {
  claude: [
    ...["api-request", "api-request-state", "atis-latch", "cost-state", "file-history-delta", "last-prompt"],
    ...[
      "file-history-snapshot",
      "mode",
      "permission-mode",
      "pr-link",
      "progress",
      "queue-operation",
      "summary",
    ],
    ...["system/api_error", "system/informational", "system/local_command", "system/microcompact_boundary"],
    ...["system/stop_hook_summary", "system/turn_duration", "title", "tools-used"],
    ...["attachment/date", "attachment/environment", "attachment/file", "attachment/hook_additional_context"],
    ...["attachment/hook_blocking_error", "attachment/hook_cancelled", "attachment/hook_non_blocking_error"],
    ...["attachment/hook_success", "attachment/hook_system_message", "attachment/model"],
    ...["attachment/remote_session_change"],
  ],
  codex: [
    ...[
      "event_msg/agent_reasoning",
      "event_msg/item_completed/CollabAgentToolCall",
      "event_msg/task_complete",
    ],
    ...["event_msg/item_completed/CommandExecution", "event_msg/item_completed/ContextCompaction"],
    ...["event_msg/item_completed/Reasoning", "event_msg/item_completed/SubAgentActivity"],
    ...["event_msg/task_started", "event_msg/thread_settings_applied", "event_msg/token_count"],
    ...[
      "inter_agent_communication_metadata",
      "response_item/additional_tools",
      "response_item/custom_tool_call",
    ],
    ...[
      "response_item/custom_tool_call_output",
      "response_item/function_call_output",
      "response_item/message",
    ],
    ...["response_item/ghost_snapshot", "response_item/reasoning", "session_meta", "token_usage_record"],
    ...["turn_context", "world_state"],
  ],
  gemini: ["$rewindTo", "$set", "info", "metadata"],
};

/** Why a line was left out that may say something: a kind that nobody knows, or damage; null for all other reasons. */
export function oddReason(agent: string, reason: string): string | null {
  if (reason === "malformed" || reason === "too_long") return reason;
  const kind = /^type:(.+)$/.exec(reason)?.[1];
  return kind === undefined || quietKinds[agent]?.includes(kind) ? null : kind;
}
