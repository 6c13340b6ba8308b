import { join } from "node:path";
import { hookSpec, hooksIn } from "../../src/agents/setup/hook-entries.ts";
import { setupOf } from "../../src/agents/setup.ts";
import { jotProfile } from "./profile.ts";

const timeoutSeconds = 10;

export const jotSetup = setupOf(jotProfile, {
  parts: [
    hooksIn(
      ({ dir }) => join(dir, ".jot", "settings.json"),
      hookSpec(jotProfile, { timeout: timeoutSeconds }),
    ),
  ],
  traces: ({ dir }) => [join(dir, ".jot")],
});
