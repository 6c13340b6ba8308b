// Builds dist/gemini-extension, which `gemini extensions install` takes: the MCP server, with Gemini CLI's own hooks.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { geminiHooks } from "../src/agents/gemini/setup.ts";
import { makeHookGroup } from "../src/agents/setup/hook-entries.ts";

const extension = "dist/gemini-extension";
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

function write(file: string, content: object): void {
  writeFileSync(join(extension, file), `${JSON.stringify(content, null, 2)}\n`);
}

rmSync(extension, { recursive: true, force: true });
mkdirSync(join(extension, "hooks"), { recursive: true });
write("gemini-extension.json", {
  name: "pommel",
  version,
  description: "Remembers what you and Gemini CLI said and did, and lets it ask. Needs `pommel` on the PATH.",
  mcpServers: { pommel: { command: "pommel", args: ["mcp"] } },
});
write("hooks/hooks.json", {
  hooks: Object.fromEntries(
    geminiHooks.hooks.map((hook) => [hook.event, [makeHookGroup(geminiHooks, hook)]]),
  ),
});
