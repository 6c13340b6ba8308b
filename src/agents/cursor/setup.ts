import { homedir } from "node:os";
import { join } from "node:path";
import { hookSpec, hooksIn } from "../setup/hook-entries.ts";
import { serverIn } from "../setup/json-entry.ts";
import { instructionsIn } from "../setup/section.ts";
import { type Place, setupOf } from "../setup.ts";
import { cursorProfile, userDirectory } from "./profile.ts";

const timeoutSeconds = 10;

/** `.cursor` in a project and in the home. */
const directoryOf = ({ dir }: Place) => join(dir, ".cursor");

export const cursorSetup = setupOf(cursorProfile, {
  parts: [
    hooksIn(
      (place) => join(directoryOf(place), "hooks.json"),
      hookSpec(cursorProfile, { isFlat: true, timeout: timeoutSeconds }),
    ),
    serverIn((place) => join(directoryOf(place), "mcp.json")),
    // For all projects there are only the editor's own settings.
    instructionsIn(({ scope, dir }) => (scope === "project" ? join(dir, "AGENTS.md") : [])),
  ],
  traces: (place) => [
    directoryOf(place),
    join(place.env.HOME || homedir(), ".cursor"),
    userDirectory(place.env),
  ],
});
