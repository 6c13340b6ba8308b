import { homedir } from "node:os";
import { join } from "node:path";
import { hookEntries, hooksFor } from "../setup/hook-entries.ts";
import { ourServer, serverEntry } from "../setup/json-entry.ts";
import { instructions } from "../setup/section.ts";
import { type Place, setupOf } from "../setup.ts";
import { cursorProfile, userDirectory } from "./profile.ts";

/** Seconds. */
const timeout = 10;

/** `.cursor` in a project and in the home. */
const directoryOf = ({ dir }: Place) => join(dir, ".cursor");

export const cursorSetup = setupOf(cursorProfile, {
  parts: [
    {
      name: "hooks",
      files: (place) => [join(directoryOf(place), "hooks.json")],
      editor: hookEntries({
        agent: cursorProfile.name,
        isFlat: true,
        hooks: hooksFor(cursorProfile.hooks, () => ({ timeout })),
      }),
    },
    {
      name: "mcp",
      files: (place) => [join(directoryOf(place), "mcp.json")],
      editor: serverEntry(ourServer),
    },
    {
      name: "instructions",
      // For all projects there are only the editor's own settings.
      files: ({ scope, dir }) => (scope === "project" ? [join(dir, "AGENTS.md")] : []),
      editor: instructions,
    },
  ],
  traces: (place) => [
    directoryOf(place),
    join(place.env.HOME || homedir(), ".cursor"),
    userDirectory(place.env),
  ],
});
