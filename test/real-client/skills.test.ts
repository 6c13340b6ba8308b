import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { run } from "./client.ts";
import { type Ground, layGround } from "./ground.ts";
import { describeClient } from "./suite.ts";

/** The skill, which neither the plugin nor the extension has beside its server, as the real Codex CLI and Gemini CLI list it. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const description = "Ask Pommel what past sessions of this project";

let ground: Ground;
afterEach(() => ground?.clear());

describeClient("Codex CLI", "skills", (bin) => {
  it("lists the skill that pm init installs, and the plugin's server without one", async () => {
    ground = layGround("codex-skills", {});
    const { repo, env, pm } = ground;
    const codex = (...args: string[]) => run({ bin, cwd: repo, env }, args);
    const prompt = () => codex("debug", "prompt-input", "hello");
    await pm("init", "--agent", "codex", "--instructions", "--no-hooks");
    expect(await prompt()).toContain(`- pommel: ${description}`);
    await pm("disable");
    expect(await prompt()).not.toContain(description);
    await codex("plugin", "marketplace", "add", root);
    await codex("plugin", "add", "pommel@pommel");
    expect(await prompt()).not.toContain(description);
    expect(await codex("mcp", "list")).toMatch(/^pommel +pommel +mcp /m);
  });
});

describeClient("Gemini CLI", "skills", (bin) => {
  it("lists the skill that pm init installs, and none of the extension", async () => {
    ground = layGround("gemini-skills", {});
    const { repo, pm } = ground;
    const env = { ...ground.env, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    const gemini = (...args: string[]) => run({ bin, cwd: repo, env }, args);
    await pm("init", "--agent", "gemini", "--instructions", "--no-hooks");
    expect(await gemini("skills", "list")).toContain(description);
    await pm("disable");
    expect(await gemini("skills", "list")).not.toContain(description);
    await gemini("extensions", "install", `${root}/dist/gemini-extension`, "--consent");
    expect(existsSync(join(ground.home, ".gemini/extensions/pommel/gemini-extension.json"))).toBe(true);
    expect(await gemini("skills", "list")).not.toContain(description);
  }, 240_000);
});
