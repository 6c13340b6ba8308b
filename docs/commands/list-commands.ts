import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The commands of docs/cli.md with their sections, for the site: there each has a page of its own. */
export function listCommands(): { command: string; content: string }[] {
  const page = readFileSync(fileURLToPath(new URL("../cli.md", import.meta.url)), "utf8");
  return page
    .split(/^(?=## pm )/m)
    .slice(1)
    .map((section) => ({
      command: /^## pm (\S+)/.exec(section)?.[1] ?? "",
      content: section.replaceAll(/^#(?=#+ pm )/gm, ""),
    }));
}
