import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeAgent } from "../../../test/support/agent-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { fork, idOf, pictureData, transcript } from "../../../test/support/transcript-fixture.ts";
import { image } from "../../../test/support/transcript-parts.ts";
import { claude } from "./claude.ts";

const project = "-home-dev-shop";

function conversation() {
  const t = transcript({ session: idOf("first") });
  t.snapshot();
  t.prompt("Why does the café's cart lose its total? 🛒");
  t.reply("Let me look.", { thinking: "The total is computed twice." });
  t.read("/home/dev/shop/src/cart.ts", "export const total = 0;\n");
  t.progress("reading\n");
  t.edit("/home/dev/shop/src/cart.ts", "export const total = 0;", "export let total = 0;");
  t.bash("cd /home/dev/shop && pm search total", "src/cart.ts: total");
  t.queuedPrompt("and add a test for it");
  t.bash("npm test", "1 failed", { isError: true });
  t.shell("pm status", "running");
  t.compact("The user asked about the cart's total.");
  t.title("Cart total");
  t.injected("what a hook said");
  t.command("/review", "12");
  t.summaryOf(t.leaf()!, "Review of the cart");
  t.reply("Done.");
  return t;
}

const first = conversation();
const short = transcript({ session: idOf("short") });
short.prompt("Where is the cart?");
short.bash("pm search cart", "src/cart.ts");
const forked = fork(short, idOf("forked"));
forked.prompt("And in the other branch?");
const child = transcript({ session: first.session, agentId: "a1b2c3d4" });
child.prompt("Find every caller of total()");
child.bash("grep -rn total src", "src/cart.ts:1");
child.reply("There are two.");

const startedAt = Date.parse("2026-03-02T09:00:00.000Z");
const childPath = `${project}/${first.session}/subagents/agent-a1b2c3d4`;

function pictures(): string {
  const t = transcript();
  t.promptWithImages("look at this", 2);
  t.tool("mcp__browser__screenshot", { nested: { image: image(pictureData) } }, [image(pictureData)], {
    structured: [image(pictureData)],
  });
  t.tool("Read", { file_path: "a.png" }, [image(pictureData)], {
    structured: { type: "image", file: { base64: pictureData } },
  });
  t.write("/home/dev/shop/a.html", `<img src="data:image/png;base64,${pictureData}">`);
  t.bash("base64 a.png", pictureData);
  t.reply(`![a](data:image/png;base64,${pictureData})`);
  t.edit("/home/dev/shop/a.html", "x", `"${pictureData}"`);
  return t.text();
}

describeAgent("Claude Code", {
  agent: claude,
  root: (dir) => join(dir, "projects"),
  env: (root) => ({ CLAUDE_CONFIG_DIR: dirname(root) }),
  transcripts: [
    {
      path: `${project}/${first.session}.jsonl`,
      text: first.text(),
      info: { session: first.session, parent: null, cwd: first.cwd, startedAt },
    },
    {
      path: `flat/2026-03-02-${forked.session}.jsonl`,
      text: forked.text(),
      info: { session: forked.session, parent: null, cwd: first.cwd, startedAt },
    },
    {
      path: `${childPath}.jsonl`,
      text: child.text(),
      beside: {
        [`${childPath}.meta.json`]: JSON.stringify({
          agentType: "Explore",
          description: "Find callers",
          toolUseId: "toolu_1",
          spawnDepth: 1,
        }),
      },
      info: {
        session: `${first.session}/a1b2c3d4`,
        parent: { session: first.session, toolUse: "toolu_1", agentType: "Explore", task: "Find callers" },
        cwd: first.cwd,
        startedAt,
      },
    },
  ],
  commands: ["npm test", "grep -rn total src", "pm search cart", "cd /home/dev/shop && pm search total"],
  others: [
    `${project}/${first.session}/tool-results/b1.txt`,
    `${project}/${first.session}/tool-results/b1.jsonl`,
    `${project}/memory/MEMORY.md`,
  ],
  withPictures: { text: pictures(), picture: pictureData },
  unknownLine: { line: '{"type":"mystery","sessionId":"x"}', reason: "type:mystery" },
});

const fixtures = resolve(process.env.POMMEL_SHARED ?? "../shared", "fixtures/claude-code/transcripts");

describe.skipIf(!existsSync(fixtures))(
  `transcripts of the real client (skipped where ${fixtures} is not there)`,
  () => {
    it.each(existsSync(fixtures) ? readdirSync(fixtures) : [])(
      "%s is understood, all of it",
      async (version) => {
        let prompts = 0;
        for await (const { path } of claude.list(join(fixtures, version))) {
          const info = await claude.describe(path);
          const { lines, skipped } = await readAll(claude, path);
          // Some hold nothing but the client's own records.
          if (info === null) expect(lines.flatMap(({ entries }) => entries)).toEqual([]);
          else expect(path).toContain(info.session.split("/")[0]);
          expect(info?.parent?.toolUse ?? null).toEqual(
            path.includes("subagents") ? expect.stringMatching(/^toolu_/) : null,
          );
          expect(skipped.malformed).toBeUndefined();
          prompts += lines.flatMap(({ entries }) => entries).filter(({ kind }) => kind === "prompt").length;
        }
        expect(prompts).toBeGreaterThan(3);
      },
    );
  },
);
