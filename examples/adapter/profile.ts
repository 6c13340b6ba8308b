import type { AgentProfile } from "../../src/agents/agent.ts";

export const jotProfile = {
  name: "jot",
  title: "Jot",
  // Where Jot keeps its files: a daemon is given these variables and few others.
  environment: ["JOT_HOME"],
  hooks: {
    events: { "user-prompt": "asked", "post-tool-use": "done", stop: "answered" },
    // Its fields, called as Pommel calls them (src/protocol/hooks.ts).
    read: ({ session, log, dir, ...more }) => ({
      ...more,
      session_id: session,
      transcript_path: log,
      cwd: dir,
    }),
    editedFiles: (tool, { path }) => (tool === "write" ? [path] : []),
  },
} satisfies AgentProfile;
