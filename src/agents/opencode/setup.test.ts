import { afterEach, beforeEach, expect, it } from "vitest";
import { loadPlugin, type PluginFixture } from "../../../test/support/plugin-fixture.ts";
import { isOwnFile } from "../../base/files/text-file.ts";
import { opencodeProfile, unquotePrompt } from "./profile.ts";
import { opencodeSetup, pluginText } from "./setup.ts";

type Hooks = Record<string, (input: object, output?: object) => Promise<void>>;
interface Part {
  id: string;
  text: string;
  synthetic?: boolean;
}

let fixture: PluginFixture<{ Pommel: (input: { directory: string }) => Promise<Hooks> }>;
let dir: string;
let hooks: Hooks;

beforeEach(async () => {
  fixture = await loadPlugin(pluginText);
  dir = fixture.dir;
  hooks = await fixture.module.Pommel({ directory: dir });
});
afterEach(() => fixture.restore());

const calls = () => fixture.calls();

async function ask(sessionID: string, text: string): Promise<Part[]> {
  const parts = [{ id: "prt_1", type: "text", text }];
  await hooks["chat.message"]!({ sessionID }, { message: { id: "msg_1" }, parts });
  return parts;
}

it.skipIf(process.platform === "win32")(
  "reports a session's events, and adds context to prompts and edits",
  async () => {
    await hooks.event!({ event: { type: "session.created", properties: { info: { id: "ses_1" } } } });
    const parts = await ask("ses_1", "Why?");
    expect(parts).toMatchObject([
      { text: "Why?" },
      { id: "prt_1p", synthetic: true, text: "known of session-start\nknown of user-prompt" },
    ]);
    await ask("ses_1", "And now?");
    const output = { output: "done", metadata: { files: [{ filePath: "/a.ts" }] } };
    await hooks["tool.execute.after"]!({ sessionID: "ses_1", tool: "apply_patch", args: {} }, output);
    expect(output.output).toBe("done\n\nknown of post-tool-use");
    await hooks["tool.execute.after"]!({ sessionID: "ses_1", tool: "read", args: {} }, output);
    await hooks["experimental.session.compacting"]!({ sessionID: "ses_1" });
    await hooks.event!({ event: { type: "session.compacted", properties: { sessionID: "ses_1" } } });
    await ask("ses_1", "Go on.");
    await hooks.event!({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
    expect(calls().map(({ event, payload }) => [event, payload.source ?? payload.prompt ?? null])).toEqual([
      ["session-start", "startup"],
      ["user-prompt", "Why?"],
      ["user-prompt", "And now?"],
      ["post-tool-use", null],
      ["pre-compact", null],
      ["session-start", "compact"],
      ["user-prompt", "Go on."],
      ["stop", null],
    ]);
    for (const { agent, payload } of calls())
      expect([agent, payload]).toMatchObject(["opencode", { session_id: "ses_1", cwd: dir }]);
    const { tool_name, tool_input } = calls()[3]!.payload;
    expect(opencodeProfile.hooks.editedFiles(tool_name, tool_input)).toEqual(["/a.ts"]);
  },
);

it.skipIf(process.platform === "win32")(
  "reports nothing of subagents, and is silent without Pommel",
  async () => {
    const info = { id: "ses_2", parentID: "ses_1" };
    await hooks.event!({ event: { type: "session.created", properties: { info } } });
    expect(await ask("ses_2", "Find it.")).toHaveLength(1);
    await hooks.event!({ event: { type: "session.idle", properties: { sessionID: "ses_2" } } });
    expect(calls()).toEqual([]);
    process.env.PATH = "/nowhere";
    expect(await ask("ses_3", "Why?")).toHaveLength(1);
  },
);

it("names the session to commands", async () => {
  const output = { env: {} };
  await hooks["shell.env"]!({ sessionID: "ses_1", cwd: dir }, output);
  expect(output.env).toEqual({ [opencodeProfile.sessionVariable]: "ses_1" });
});

it("is a file of Pommel's, which is renewed and not kept when it was edited", () => {
  const part = opencodeSetup.parts.find(({ name }) => name === "hooks")!;
  const editor = part.chooseEditor({ scope: "project", dir: "/p", recordFile: "/p/setup.json", env: {} }, "");
  const { text } = editor.add("", "pommel.js");
  expect(text.startsWith("// Pommel, the memory of this project")).toBe(true);
  expect(isOwnFile(text)).toBe(true);
  expect(editor.look(text, "pommel.js").state).toBe("current");
  expect(editor.look(text.replace("10_000", "99_000"), "pommel.js").state).toBe("kept");
});

it("a hook's payload has the session's path, and its prompt as it was written", () => {
  const read = opencodeProfile.hooks.read({ session_id: "ses_1", prompt: '"fix \\"it\\" now"', cwd: "/a" });
  expect(read).toMatchObject({ session_id: "ses_1", prompt: 'fix "it" now', cwd: "/a" });
  expect(read.transcript_path).toMatch(/opencode\.db\/ses_1$/);
  for (const prompt of ['"yes"', 'say "a b" twice', '"a b" and "c d"', ""])
    expect(unquotePrompt(prompt)).toBe(prompt);
});
