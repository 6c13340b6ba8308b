import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentProfile } from "../agent.ts";

export const opencodeProfile = {
  name: "opencode",
  title: "OpenCode",
  environment: ["XDG_DATA_HOME"],
  // Set by Pommel's plugin: the client names only its process.
  sessionVariable: "OPENCODE_SESSION_ID",
  resumeWith: (id) => ["opencode", `--session=${id}`],
  shellVariables: ["OPENCODE"],
  hooks: {
    // The plugin reports them under Pommel's own names.
    events: {
      "session-start": "session-start",
      "user-prompt": "user-prompt",
      "pre-compact": "pre-compact",
      "post-tool-use": "post-tool-use",
      stop: "stop",
    },
    read({ session_id, prompt, ...more }) {
      const transcript_path =
        typeof session_id === "string"
          ? join(locateDataDir(process.env), "opencode.db", session_id)
          : undefined;
      return {
        ...more,
        session_id,
        transcript_path,
        prompt: typeof prompt === "string" ? unquotePrompt(prompt) : prompt,
      };
    },
    editedFiles: (tool, { filePath, files }) => {
      if (tool === "edit" || tool === "write") return [filePath];
      return tool === "apply_patch" && Array.isArray(files) ? files : [];
    },
  },
} satisfies AgentProfile;

/** Its data directory; the client uses `~/.local/share` on every system. */
export function locateDataDir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), ".local", "share"), "opencode");
}

/** A prompt without the quotation marks that `opencode run` puts around an argument with spaces. */
export function unquotePrompt(prompt: string): string {
  const [, inside] = /^"((?:[^"\\]|\\[\s\S])*)"$/.exec(prompt) ?? [];
  return inside?.includes(" ") ? inside.replaceAll('\\"', '"') : prompt;
}
