/** Kinds of lines of Codex CLI that say nothing worth remembering. */
export const quiet: ReadonlySet<string> = new Set(
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
