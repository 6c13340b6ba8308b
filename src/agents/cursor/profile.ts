import { join } from "node:path";
import type { AgentProfile, GivenPayload } from "../agent.ts";
import { locateEditorUserDir, userDirectoryVariables } from "../reading/editors.ts";

export const cursorProfile = {
  name: "cursor",
  title: "Cursor",
  environment: userDirectoryVariables,
  shellVariables: ["CURSOR_AGENT"],
  hooks: {
    events: {
      "pre-compact": "preCompact",
      "user-prompt": "beforeSubmitPrompt",
      "session-start": "sessionStart",
      stop: "stop",
      "post-tool-use": "afterFileEdit",
      "session-end": "sessionEnd",
    },
    read({ conversation_id, workspace_roots, file_path, ...given }) {
      const [cwd] = Array.isArray(workspace_roots) ? workspace_roots : [];
      const place = {
        ...(typeof cwd === "string" && { cwd }),
        // An edit names its file beside the fields that all events have.
        ...(file_path !== undefined && { tool_name: "edit_file", tool_input: { file_path } }),
      };
      if (typeof conversation_id !== "string" || !isComposerId(conversation_id))
        return { ...given, ...place };
      const transcript_path = join(locateGlobalStorage(process.env), databaseName, conversation_id);
      return { ...given, ...place, session_id: conversation_id, transcript_path };
    },
    answer: (text) => ({ additional_context: text }),
    takesContext: ["session-start"],
    editedFiles: (_, { file_path }) => [file_path],
  },
} satisfies AgentProfile;

/** Whether Cursor runs a hook that is meant for Claude Code: it can also read Claude Code's settings and plugins. */
export function isCursors({ cursor_version }: GivenPayload): boolean {
  return typeof cursor_version === "string";
}

export const databaseName = "state.vscdb";

export const isComposerId = (text: string) => /^[\w-]{8,100}$/.test(text);

/** The editor's directory of user data. */
export const locateUserDirectory = (env: NodeJS.ProcessEnv) => locateEditorUserDir("Cursor", env);

export function locateGlobalStorage(env: NodeJS.ProcessEnv): string {
  return join(locateUserDirectory(env), "globalStorage");
}
