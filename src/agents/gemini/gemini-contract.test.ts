import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeAgent } from "../../../test/support/agent-contract.ts";
import { describeRewritten } from "../../../test/support/agent-rewritten-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { chat, idOf, pictureData } from "../../../test/support/chat-fixture.ts";
import { gemini } from "./gemini.ts";

function conversation() {
  const c = chat({ session: idOf("first") });
  c.begin();
  c.prompt("Why does the café's cart lose its total? 🛒");
  c.reply("Let me look.", { thinking: "The total is computed twice." });
  c.tool("read_file", { file_path: "src/cart.ts" }, "export const total = 0;\n", { display: "" });
  c.edit("/home/dev/shop/src/cart.ts", "export const total = 0;\n", "export let total = 0;\n");
  c.shell("cd /home/dev/shop && pm search total", "src/cart.ts: total");
  c.message("info", "Request cancelled.");
  c.shell("npm test", "1 failed", 1);
  const back = c.prompt("and now the other way round");
  c.reply("I did.");
  c.rewind(back);
  c.prompt("<hook_context>what Pommel knows</hook_context>\n\nand a test", [
    { text: "<hook_context>more of it</hook_context>" },
  ]);
  c.write("/home/dev/shop/src/cart.test.ts", "test();\n");
  c.resume({ sameMinute: true });
  c.set({ summary: "Cart total" });
  c.compress("The user asked about the cart's total.");
  c.prompt("thanks");
  c.resume();
  c.reply("Done.");
  return c;
}

const first = conversation();
const short = chat({ session: idOf("short") });
short.begin();
short.prompt("Where is the cart?");
short.shell("pm search cart", "src/cart.ts");
const child = chat({ session: idOf("child"), parent: first.session });
child.begin();
child.prompt("Find every caller of total()");
child.shell("grep -rn total src", "src/cart.ts:1");
child.reply("There are two.");

const startedAt = Date.parse("2026-03-02T09:00:00.000Z");

function pictures(): string {
  const c = chat();
  c.begin();
  c.prompt("look at this", [{ inlineData: { mimeType: "image/png", data: pictureData } }]);
  c.tool("mcp_browser_screenshot", { image: pictureData }, pictureData, { display: pictureData });
  c.write("/home/dev/shop/a.html", `<img src="data:image/png;base64,${pictureData}">`);
  c.edit("/home/dev/shop/a.html", "x", `"${pictureData}"`);
  c.shell("base64 a.png", pictureData);
  c.reply(`![a](data:image/png;base64,${pictureData})`, { thinking: pictureData });
  c.message("error", pictureData);
  c.resume({ sameMinute: true });
  return c.text();
}

describeAgent("Gemini CLI", {
  agent: gemini,
  root: (dir) => join(dir, ".gemini", "tmp"),
  env: (root) => ({ GEMINI_CLI_HOME: dirname(dirname(root)) }),
  transcripts: [
    {
      path: first.path(),
      text: first.text(),
      info: { session: first.session, parent: null, cwd: first.cwd, startedAt },
      beside: { "shop/.project_root": first.cwd },
    },
    {
      path: short.path().replace("shop", "other"),
      text: short.text(),
      info: { session: short.session, parent: null, cwd: short.cwd, startedAt },
    },
    {
      path: child.path(),
      text: child.text(),
      info: {
        session: `${first.session}/${child.session}`,
        parent: {
          session: first.session,
          toolUse: null,
          agentType: null,
          task: "Find every caller of total()",
        },
        cwd: first.cwd,
        startedAt,
      },
    },
  ],
  commands: ["npm test", "grep -rn total src", "pm search cart", "cd /home/dev/shop && pm search total"],
  others: ["shop/logs.json", "shop/checkpoint-tag.json", "shop/shell_history", "bin/rg"],
  withPictures: { text: pictures(), picture: pictureData },
  unknownLine: { line: '{"id":"x","type":"mystery","content":"?"}', reason: "type:mystery" },
});

/** The same conversation by an older client, after each of its messages. */
function growing() {
  const c = chat({ session: idOf("old") });
  const contents: string[] = [];
  const snapshot = (append: () => unknown) => {
    append();
    contents.push(c.object());
  };
  snapshot(() => c.prompt("Why does the cart lose its total?"));
  snapshot(() => c.tool("read_file", { file_path: "src/cart.ts" }, "export const total = 0;\n"));
  snapshot(() => c.write("/home/dev/shop/src/cart.ts", "export let total = 0;\n"));
  snapshot(() => c.reply("Done.", { thinking: "It was a constant." }));
  snapshot(() => c.prompt("thanks"));
  return { c, contents };
}

const { c: old, contents } = growing();
describeRewritten("A chat of Gemini CLI up to 0.36", {
  agent: gemini,
  path: `.gemini/tmp/${old.path("json")}`,
  contents,
  info: { session: old.session, parent: null, cwd: old.cwd, startedAt },
});

const fixtures = resolve(process.env.POMMEL_SHARED ?? "../shared", "fixtures/gemini/chats");

describe.skipIf(!existsSync(fixtures))(
  `chats of the real client (skipped where ${fixtures} is not there)`,
  () => {
    it.each(existsSync(fixtures) ? readdirSync(fixtures) : [])(
      "%s is understood, all of it",
      async (name) => {
        let prompts = 0;
        for await (const { path } of gemini.list(join(fixtures, name))) {
          const info = (await gemini.describe(path))!;
          expect(info.cwd).toBe("/home/dev/demo");
          const { lines, skipped } = await readAll(gemini, path);
          for (const reason of Object.keys(skipped))
            expect(["context", "repeated", "type:$set", "type:$rewindTo", "type:metadata"]).toContain(reason);
          const uids = lines.flatMap(({ uid }) => uid ?? []);
          expect(new Set(uids).size).toBe(uids.length);
          const entries = lines.flatMap((line) => line.entries);
          const said = entries.filter(({ kind }) => kind === "prompt");
          prompts += said.length;
          expect(JSON.stringify(entries)).not.toMatch(
            /session_context|hook_context|untrusted_context|MEM(?:SS|BA|AT)/,
          );
          const uses = entries.filter((entry) => entry.kind === "tool_use");
          const results = entries.filter((entry) => entry.kind === "tool_result");
          expect(new Set(uses.map(({ id }) => id))).toEqual(new Set(results.map(({ id }) => id)));
          if (name.includes("subagent") && path.includes("a53273a0"))
            expect(info.parent).toMatchObject({ agentType: "generalist", task: "Count the files in src" });
        }
        expect(prompts).toBeGreaterThan(0);
      },
    );
  },
);
