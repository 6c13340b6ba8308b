import { homedir } from "node:os";
import { join } from "node:path";
import { makeServerPart } from "../setup/json-entry.ts";
import { hookImports, makeHookFunction } from "../setup/plugin-hook.ts";
import { makeInstructionsPart, makeWholeFileEditor, sharedSkill } from "../setup/section.ts";
import { makePart, makeSetup, type SetupTarget } from "../setup.ts";
import { clineProfile, locateClineDataDir, locateClineHome } from "./profile.ts";

/**
 * Pommel's plugin for Cline, which runs in a process of its own beside the client (Node.js): it runs `pommel hook` on the
 * client's events, and adds the context that comes back to the prompt that the model is given, which the client does not
 * record, or behind a tool's answer. The client waits three seconds for each. A test runs it stands here.
 */

/** Raise it with every change of the text: what an older Pommel wrote is then renewed. */
const pluginVersion = 2;

export const pluginText = `
// Pommel, the memory of this project: records what happens here, and gives the agent context. See \`pm session context --help\`.
${hookImports}

let session;
let cwd;
/** What was added to a message, by its key. */
const contexts = new Map();

const isCompacted = ({ metadata }) => metadata?.kind === "compaction_summary";
const isPrompt = ({ role, metadata, content }) =>
  role === "user" && metadata?.displayRole !== "system" && content.some(({ type }) => type === "text");
const readKey = ({ id, metadata }) => id ?? String(metadata?.generatedAt);
const joinText = ({ content }) => content.map(({ type, text }) => (type === "text" ? text : "")).join("");

/** The files that a call changed. */
function filesIn(tool, input) {
  if (tool === "editor") return [input?.path];
  const patch = tool === "apply_patch" ? String(input?.input ?? input) : "";
  return [...patch.matchAll(/^\\*\\*\\* (?:(?:Add|Update) File|Move to): (.+)$/gm)].map(([, path]) => path.trim());
}

${makeHookFunction("cline", "2500")}

const run = (event, payload) => hook(event, { ...payload, session_id: session }, cwd);

/** Keeps what a hook gives for a message, the first time. */
async function give(message, event, payload) {
  const key = readKey(message);
  if (contexts.has(key + event)) return;
  contexts.set(key + event, "");
  contexts.set(key + event, await run(event, payload));
}

/** A message with what was given for it. */
function withContext(message) {
  const key = readKey(message);
  const text = ["session-start", "user-prompt"].map((event) => contexts.get(key + event)).filter(Boolean).join("\\n");
  return text ? { ...message, content: [...message.content, { type: "text", text }] } : message;
}

let isBegun = false;

export default {
  name: "pommel",
  manifest: { capabilities: ["hooks"] },
  setup(_, { session: given, workspaceInfo }) {
    session = given?.sessionId;
    cwd = workspaceInfo?.rootPath ?? process.cwd();
  },
  hooks: {
    async beforeRun({ snapshot }) {
      if (!session || snapshot.parentAgentId || isBegun) return;
      isBegun = true;
      const prompts = snapshot.messages.filter(isPrompt);
      const source = prompts.length > 1 ? "resume" : "startup";
      if (prompts.length > 0) await give(prompts.at(-1), "session-start", { source });
    },
    async beforeModel({ snapshot, request }) {
      if (!session || snapshot.parentAgentId) return;
      const summary = request.messages.find(isCompacted);
      const prompt = request.messages.findLast(isPrompt);
      if (summary) await give(summary, "session-start", { source: "compact" });
      if (prompt) await give(prompt, "user-prompt", { prompt: joinText(prompt) });
      return { messages: request.messages.map(withContext) };
    },
    async afterTool({ snapshot, toolCall, input, result }) {
      const tool = toolCall?.toolName;
      const files = filesIn(tool, input);
      if (!session || snapshot?.parentAgentId || files.length === 0 || result?.output?.success === false) return;
      const text = await run("post-tool-use", { tool_name: tool, tool_input: { files } });
      return text ? { appendContext: text } : undefined;
    },
    async afterRun({ snapshot }) {
      if (session && !snapshot.parentAgentId) await run("stop", {});
    },
  },
};
`;

/** Where plugins are. */
const locateClineDir = ({ scope, dir, env }: SetupTarget) =>
  scope === "user" ? locateClineHome(env) : join(dir, ".cline");

const locateInstructionsFile = ({ scope, dir, env }: SetupTarget) =>
  scope === "user" ? join(env.HOME || homedir(), ".agents", "AGENTS.md") : join(dir, "AGENTS.md");

export const clineSetup = makeSetup(clineProfile, {
  parts: [
    makePart(
      "hooks",
      (place) => join(locateClineDir(place), "plugins", "pommel.js"),
      makeWholeFileEditor(pluginVersion, () => pluginText, "// "),
    ),
    // The client knows no servers of a project.
    makeServerPart(({ scope, env }) =>
      scope === "user" ? join(locateClineDataDir(env), "settings", "cline_mcp_settings.json") : [],
    ),
    makeInstructionsPart(locateInstructionsFile),
    sharedSkill,
  ],
  traces: (place) => [
    locateClineDir(place),
    locateClineHome(place.env),
    ...(place.scope === "project" ? [join(place.dir, ".clinerules")] : []),
  ],
  afterwards: (place, parts) =>
    parts.includes("hooks") && place.scope === "project"
      ? ["Cline has MCP servers only for all projects: `pm setup` adds Pommel's."]
      : [],
});
