import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { makeHookGroup } from "../setup/hook-entries.ts";
import { codexHooks } from "./trusted-hooks.ts";

const json = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));

it.skipIf(process.platform === "win32")(
  "the plugin runs Codex's hooks and has this version (skipped on Windows: commands differ there)",
  () => {
    const manifest = json("plugin/.codex-plugin/plugin.json");
    const { version } = json("package.json");
    expect(manifest).toMatchObject({ name: "pommel", version, hooks: "./hooks/codex.json" });
    const groups = codexHooks.hooks.map((hook) => [hook.event, [makeHookGroup(codexHooks, hook)]]);
    expect(json("plugin/hooks/codex.json").hooks).toEqual(Object.fromEntries(groups));
  },
);
