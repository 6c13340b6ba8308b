import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wholeFile } from "./section.ts";

/** Raise it with every change of the text: what an older Pommel wrote is then renewed. */
const version = 2;

/** The plugin's skill is everybody's. From the bundle in `dist/` as from this source file. */
function skillText(): string {
  const here = import.meta.url;
  const path = "plugin/skills/pommel/SKILL.md";
  return readFileSync(
    fileURLToPath(new URL(here.endsWith(".ts") ? `../../../${path}` : `../${path}`, here)),
    "utf8",
  );
}

/** What an agent reads when it wants to ask Pommel: worked examples. */
export const skill = wholeFile(version, skillText);
