import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { makeServerEditor } from "../setup/json-entry.ts";
import { hookImports, makeHookFunction } from "../setup/plugin-hook.ts";
import { makeInstructionsPart, makeWholeFileEditor, sharedSkill } from "../setup/section.ts";
import { makePart, makeSetup, type SetupTarget } from "../setup.ts";
import { locateDataDir, opencodeProfile } from "./profile.ts";

/**
 * Pommel's plugin for OpenCode, which runs inside of the client (Bun): it runs `pommel hook` on the client's events, and
 * adds the context that comes back to the prompt or the tool's output. OpenCode reports no session's start when one goes
 * on, so the first prompt in a process counts as one. A test runs it stands here.
 */

/** Raise it with every change of the text: what an older Pommel wrote is then renewed. */
const pluginVersion = 2;

export const pluginText = `
// Pommel, the memory of this project: records what happens here, and gives the agent context. See \`pm session context --help\`.
${hookImports}

const edits = new Set(["edit", "write", "apply_patch"]);

${makeHookFunction("opencode", "10_000")}

export const Pommel = async ({ directory }) => {
  const created = new Set();
  const subagents = new Set();
  const begun = new Map();

  return {
    event: async ({ event }) => {
      const { info, sessionID: session_id } = event.properties ?? {};
      if (event.type === "session.created") (info.parentID ? subagents : created).add(info.id);
      if (event.type === "session.compacted") begun.set(session_id, "compact");
      if (event.type === "session.idle" && !subagents.has(session_id)) await hook("stop", { session_id }, directory);
    },
    "chat.message": async ({ sessionID: session_id }, { message, parts }) => {
      if (subagents.has(session_id)) return;
      const source = begun.get(session_id) ?? (created.has(session_id) ? "startup" : "resume");
      const prompt = parts
        .filter(({ type, synthetic }) => type === "text" && !synthetic)
        .map(({ text }) => text)
        .join("\\n");
      const contexts = [];
      if (source !== "done") contexts.push(await hook("session-start", { session_id, source }, directory));
      begun.set(session_id, "done");
      contexts.push(await hook("user-prompt", { session_id, prompt }, directory));
      const text = contexts.filter(Boolean).join("\\n");
      // Ids sort parts: this one comes last.
      const id = \`\${parts.at(-1)?.id ?? "prt_"}p\`;
      if (text) parts.push({ id, sessionID: session_id, messageID: message.id, type: "text", text, synthetic: true });
    },
    "tool.execute.after": async ({ sessionID: session_id, tool, args }, output) => {
      if (!edits.has(tool) || subagents.has(session_id)) return;
      const files = (output.metadata?.files ?? []).map(({ filePath }) => filePath);
      const payload = { session_id, tool_name: tool, tool_input: { filePath: args?.filePath, files } };
      const text = await hook("post-tool-use", payload, directory);
      if (text) output.output += \`\\n\\n\${text}\`;
    },
    "experimental.session.compacting": async ({ sessionID: session_id }) => {
      await hook("pre-compact", { session_id }, directory);
    },
    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID) env.OPENCODE_SESSION_ID = sessionID;
    },
  };
};
`;

const locateUserDirectory = ({ env }: SetupTarget) =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "opencode");

/** Where plugins are. */
const locateOpencodeDir = (place: SetupTarget) =>
  place.scope === "user" ? locateUserDirectory(place) : join(place.dir, ".opencode");

/** Where the configuration and the instructions are. */
const locateConfigHome = (place: SetupTarget) =>
  place.scope === "user" ? locateUserDirectory(place) : place.dir;

/** The one that exists, or else `opencode.json`. */
function listConfigFiles(place: SetupTarget): string[] {
  const json = join(locateConfigHome(place), "opencode.json");
  const jsonc = join(locateConfigHome(place), "opencode.jsonc");
  return existsSync(jsonc) && !existsSync(json) ? [jsonc, json] : [json, jsonc];
}

const server = { type: "local", command: ["pommel", "mcp"], enabled: true };

export const opencodeSetup = makeSetup(opencodeProfile, {
  parts: [
    makePart(
      "hooks",
      // Clients before 1.1 know only "plugin", later ones "plugins" as well.
      (place) => join(locateOpencodeDir(place), "plugin", "pommel.js"),
      makeWholeFileEditor(pluginVersion, () => pluginText, "// "),
    ),
    makePart("mcp", listConfigFiles, makeServerEditor(server, { comments: true, key: "mcp" })),
    makeInstructionsPart((place) => join(locateConfigHome(place), "AGENTS.md")),
    sharedSkill,
  ],
  traces: (place) => [
    locateOpencodeDir(place),
    ...listConfigFiles(place),
    locateUserDirectory(place),
    locateDataDir(place.env),
  ],
});
