import { join } from "node:path";
import { hookEntries, hooksFor } from "../../src/agents/setup/hook-entries.ts";
import { setupOf } from "../../src/agents/setup.ts";
import { jotProfile } from "./profile.ts";

const { name: agent, hooks } = jotProfile;

export const jotSetup = setupOf(jotProfile, {
  parts: [
    {
      name: "hooks",
      files: ({ dir }) => [join(dir, ".jot", "settings.json")],
      editor: hookEntries({ agent, hooks: hooksFor(hooks, () => ({ timeout: 10 })) }),
    },
  ],
  traces: ({ dir }) => [join(dir, ".jot")],
});
