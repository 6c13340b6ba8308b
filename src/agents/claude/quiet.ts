/** Kinds of lines of Claude Code that say nothing worth remembering. */
export const quiet: ReadonlySet<string> = new Set(
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
