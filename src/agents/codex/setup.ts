import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookEntries } from "../setup/hook-entries.ts";
import { instructions } from "../setup/instructions.ts";
import { tomlServer } from "../setup/toml-server.ts";
import type { AgentSetup } from "../setup.ts";
import { codexHome, codexHooks, directoryOf, hooksFile } from "./hook-spec.ts";
import { instructionFiles } from "./instruction-files.ts";
import { codexProfile } from "./profile.ts";
import { distrust, hooksRead } from "./trust.ts";

export const codexSetup: AgentSetup = {
  agent: codexProfile.name,
  title: codexProfile.title,
  parts: [
    { name: "hooks", files: (place) => [hooksFile(place)], editor: hookEntries(codexHooks) },
    {
      name: "mcp",
      files: (place) => [join(directoryOf(place), "config.toml")],
      editor: tomlServer("pommel", ["mcp"]),
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
    const isProject = place.scope === "project";
    if (!parts.includes("hooks")) {
      if (!isProject || !parts.includes("mcp")) return [];
      return ["Codex reads .codex/config.toml once it trusts this project: it asks at its next start here."];
    }
    if (distrust(place) === null) return [];
    const read = hooksRead(place);
    if (read !== place) {
      return [
        `Codex uses the main worktree's hooks in linked ones: run \`pm init --agent codex\` in ${read.dir} as well.`,
      ];
    }
    const first = isProject ? "Start `codex` here, trust this project, and" : "Start `codex` and";
    return [
      `${first} trust Pommel's hooks with /hooks: until then Codex skips them, and \`codex exec\` does so silently.`,
    ];
  },
};
