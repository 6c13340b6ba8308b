import { afterEach, beforeEach, expect, it } from "vitest";
import { loadPlugin, type PluginFixture } from "../../../test/support/plugin-fixture.ts";
import { isOwnFile } from "../../base/files/text-file.ts";
import { clineProfile } from "./profile.ts";
import { clineSetup, pluginText } from "./setup.ts";

interface Message {
  id?: string;
  role: string;
  content: { type: string; text?: string }[];
  metadata?: object;
}
interface Plugin {
  setup: (api: object, context: object) => void;
  hooks: Record<
    string,
    (context: object) => Promise<{ messages?: Message[]; appendContext?: string } | undefined>
  >;
}

let fixture: PluginFixture<{ default: Plugin }>;
let dir: string;
let plugin: Plugin;

beforeEach(async () => {
  fixture = await loadPlugin(pluginText);
  dir = fixture.dir;
  plugin = fixture.module.default;
  plugin.setup({}, { session: { sessionId: "s1" }, workspaceInfo: { rootPath: dir } });
});
afterEach(() => fixture.restore());

const calls = () => fixture.calls();

const prompt = (id: string, text: string): Message => ({
  id,
  role: "user",
  content: [{ type: "text", text }],
});

/** Runs a turn as the client does. @returns what the model is given */
async function turn(messages: Message[], snapshot: object = {}): Promise<string[]> {
  const run = { snapshot: { messages, ...snapshot } };
  await plugin.hooks.beforeRun!(run);
  const asked = await plugin.hooks.beforeModel!({ ...run, request: { messages } });
  await plugin.hooks.beforeModel!({ ...run, request: { messages } });
  await plugin.hooks.afterRun!(run);
  return (asked?.messages ?? messages).map(({ content }) => content.map(({ text }) => text).join("|"));
}

it.skipIf(process.platform === "win32")(
  "reports a session's events, and gives the model context that stays where it was",
  async () => {
    const first = prompt("m1", "Why?");
    expect(await turn([first])).toEqual(["Why?|known of session-start\nknown of user-prompt"]);
    const hook: Message = { ...prompt("m2", "<hook_context/>"), metadata: { displayRole: "system" } };
    const given = await turn([first, hook, prompt("m3", "And now?")]);
    expect(given).toEqual([
      "Why?|known of session-start\nknown of user-prompt",
      "<hook_context/>",
      "And now?|known of user-prompt",
    ]);
    const metadata = { kind: "compaction_summary", displayRole: "system", generatedAt: 7 };
    const summary: Message = { role: "user", content: [{ type: "text", text: "Summary" }], metadata };
    expect((await turn([summary, prompt("m4", "Go on.")]))[0]).toBe("Summary|known of session-start");
    expect(calls().map(({ event, payload }) => [event, payload.source ?? payload.prompt ?? null])).toEqual([
      ["session-start", "startup"],
      ["user-prompt", "Why?"],
      ["stop", null],
      ["user-prompt", "And now?"],
      ["stop", null],
      ["session-start", "compact"],
      ["user-prompt", "Go on."],
      ["stop", null],
    ]);
    for (const { agent, payload } of calls())
      expect([agent, payload]).toMatchObject(["cline", { session_id: "s1", cwd: dir }]);
  },
);

it.skipIf(process.platform === "win32")(
  "reports edits with their files, and nothing of those that failed",
  async () => {
    const after = (toolName: string, input: unknown, output: object = { success: true }) =>
      plugin.hooks.afterTool!({ snapshot: {}, toolCall: { toolName }, input, result: { output } });
    expect(await after("editor", { path: "/a.ts" })).toEqual({ appendContext: "known of post-tool-use" });
    await after("apply_patch", { input: "*** Update File: a.ts\n*** Move to: b.ts\n*** Delete File: c.ts" });
    await after("editor", { path: "/a.ts" }, { success: false });
    await after("read_files", { files: [{ path: "/a.ts" }] });
    expect(calls().map(({ payload }) => payload.tool_input.files)).toEqual([["/a.ts"], ["a.ts", "b.ts"]]);
    const { tool_name, tool_input } = calls()[0]!.payload;
    expect(clineProfile.hooks.editedFiles(tool_name, tool_input)).toEqual(["/a.ts"]);
  },
);

it.skipIf(process.platform === "win32")(
  "says that a session goes on, reports nothing of subagents, and is silent without Pommel",
  async () => {
    expect(await turn([prompt("m1", "Find it.")], { parentAgentId: "agent_1" })).toEqual(["Find it."]);
    expect(calls()).toEqual([]);
    await turn([prompt("m1", "Why?"), prompt("m2", "And now?")]);
    expect(calls()[0]!.payload.source).toBe("resume");
    process.env.PATH = "/nowhere";
    expect(await turn([prompt("m9", "Why?")])).toEqual(["Why?"]);
  },
);

it("is a file of Pommel's, which is renewed and not kept when it was edited", () => {
  const part = clineSetup.parts.find(({ name }) => name === "hooks")!;
  const editor = part.chooseEditor({ scope: "project", dir: "/p", recordFile: "/p/setup.json", env: {} }, "");
  const { text } = editor.add("", "pommel.js");
  expect(isOwnFile(text)).toBe(true);
  expect(editor.look(text, "pommel.js").state).toBe("current");
  expect(editor.look(text.replace("2500", "9900"), "pommel.js").state).toBe("kept");
});
