import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentProfile } from "../agent.ts";
import { userDirectoryVariables } from "../reading/editors.ts";

export const clineProfile = {
  name: "cline",
  title: "Cline",
  environment: ["CLINE_DIR", "CLINE_DATA_DIR", "CLINE_SESSION_DATA_DIR", ...userDirectoryVariables],
  resumeWith: (id) => ["cline", "--tui", `--id=${id}`],
  shellVariables: ["CLINE_ACTIVE"],
  hooks: {
    // Pommel's plugin names them in our words.
    events: {
      "user-prompt": "user-prompt",
      "session-start": "session-start",
      stop: "stop",
      "post-tool-use": "post-tool-use",
    },
    read({ session_id, ...others }) {
      const given =
        typeof others.prompt === "string" ? { ...others, prompt: stripPromptTags(others.prompt) } : others;
      if (typeof session_id !== "string" || !/^[\w.-]+$/.test(session_id)) return given;
      const transcript_path = join(locateSessionsDir(process.env), session_id, `${session_id}.messages.json`);
      return { ...given, session_id, transcript_path };
    },
    editedFiles: (_, { files }) => (Array.isArray(files) ? files : []),
  },
} satisfies AgentProfile;

/** Cline's user directory. */
export function locateClineHome(env: NodeJS.ProcessEnv): string {
  return env.CLINE_DIR || join(env.HOME || homedir(), ".cline");
}

export function locateClineDataDir(env: NodeJS.ProcessEnv): string {
  return env.CLINE_DATA_DIR || join(locateClineHome(env), "data");
}

export function locateSessionsDir(env: NodeJS.ProcessEnv): string {
  return env.CLINE_SESSION_DATA_DIR || join(locateClineDataDir(env), "sessions");
}

/** A prompt without the tags around it, and without what the client says of the mode. */
export function stripPromptTags(written: string): string {
  const text = written.replace(/<mode_notice>[\s\S]*?<\/mode_notice>\s*/g, "");
  // Files that the human named follow.
  const [, inside] = /<user_input\b[^>]*>([\s\S]*)<\/user_input>/.exec(text) ?? [];
  const [, slash, rest] =
    /^\s*<user_command slash="([^"]+)">([\s\S]*)<\/user_command>\s*$/.exec(inside ?? text) ?? [];
  return slash === undefined ? (inside ?? text) : `/${slash} ${rest}`;
}
