import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookEntries } from "../setup/hook-entries.ts";
import { instructions } from "../setup/instructions.ts";
import { tomlServer } from "../setup/toml-server.ts";
import type { AgentSetup } from "../setup.ts";
import { codexHome, codexHooks, directoryOf, hooksFile } from "./hook-spec.ts";
import { instructionFiles } from "./instruction-files.ts";
import { distrust, hooksRead } from "./trust.ts";

export const codexSetup: AgentSetup = {
  agent: "codex",
  title: "Codex CLI",
  parts: [
    { name: "hooks", files: (place) => [hooksFile(place)], editor: hookEntries(codexHooks) },
    {
      name: "mcp",
      files: (place) => [join(directoryOf(place), "config.toml")],
      editor: tomlServer("pm", ["mcp"]),
    },
    {
      name: "instructions",
      files: instructionFiles,
      readsOne: true,
      editor: instructions,
    },
  ],
  isUsed: (place) => existsSync(directoryOf(place)) || existsSync(codexHome(place.env)),
  fromPlugin: () => [],
  distrust,
  afterwards(place, parts) {
    const lines: string[] = [];
    const read = hooksRead(place);
    if (parts.includes("hooks") && read !== place) {
      lines.push(
        `Codex takes the hooks of a linked worktree from the main one: run \`pm init --agent codex\` in ${read.dir} as well.`,
      );
    } else if (parts.includes("hooks")) {
      const first =
        place.scope === "project"
          ? "Start `codex` here, let it trust this project, and"
          : "Start `codex` and";
      lines.push(
        `${first} trust Pommel's hooks with /hooks: until then Codex skips them, and \`codex exec\` says nothing about it.`,
      );
    } else if (parts.includes("mcp") && place.scope === "project") {
      lines.push(
        "Codex reads .codex/config.toml once it trusts this project: it asks at its next start here.",
      );
    }
    return lines;
  },
};
