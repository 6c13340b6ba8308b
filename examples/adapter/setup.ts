import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookEntries, hooksFor } from "../../src/agents/setup/hook-entries.ts";
import type { AgentSetup } from "../../src/agents/setup.ts";
import { jotProfile } from "./profile.ts";

const { name: agent, title, hooks } = jotProfile;

export const jotSetup: AgentSetup = {
  agent,
  title,
  parts: [
    {
      name: "hooks",
      files: ({ dir }) => [join(dir, ".jot", "settings.json")],
      editor: hookEntries({ agent, hooks: hooksFor(hooks, () => ({ timeout: 10 })) }),
    },
  ],
  isUsed: ({ dir }) => existsSync(join(dir, ".jot")),
  fromPlugin: () => [],
  distrust: () => null,
  afterwards: () => [],
};
