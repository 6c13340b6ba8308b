import { join } from "node:path";
import { makeHookSpec, makeHooksPart } from "../../src/agents/setup/hook-entries.ts";
import { makeSetup } from "../../src/agents/setup.ts";
import { jotProfile } from "./profile.ts";

const timeoutSeconds = 10;

export const jotSetup = makeSetup(jotProfile, {
  parts: [
    makeHooksPart(
      ({ dir }) => join(dir, ".jot", "settings.json"),
      makeHookSpec(jotProfile, { timeout: timeoutSeconds }),
    ),
  ],
  traces: ({ dir }) => [join(dir, ".jot")],
});
