import { homedir } from "node:os";
import { join } from "node:path";
import { makeHookSpec, makeHooksPart } from "../setup/hook-entries.ts";
import { makeServerPart } from "../setup/json-entry.ts";
import { makeInstructionsPart } from "../setup/section.ts";
import { makeSetup, type SetupTarget } from "../setup.ts";
import { cursorProfile, locateUserDirectory } from "./profile.ts";

const timeoutSeconds = 10;

/** `.cursor` in a project and in the home. */
const locateCursorDir = ({ dir }: SetupTarget) => join(dir, ".cursor");

export const cursorSetup = makeSetup(cursorProfile, {
  parts: [
    makeHooksPart(
      (place) => join(locateCursorDir(place), "hooks.json"),
      makeHookSpec(cursorProfile, { isFlat: true, timeout: timeoutSeconds }),
    ),
    makeServerPart((place) => join(locateCursorDir(place), "mcp.json")),
    // For all projects there are only the editor's own settings.
    makeInstructionsPart(({ scope, dir }) => (scope === "project" ? join(dir, "AGENTS.md") : [])),
  ],
  traces: (place) => [
    locateCursorDir(place),
    join(place.env.HOME || homedir(), ".cursor"),
    locateUserDirectory(place.env),
  ],
});
