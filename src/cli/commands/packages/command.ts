import type { Command } from "commander";
import { examples, query } from "../../frame.ts";

/** `pm packages`: options and help; the code is loaded when it runs. */
export function declarePackages(program: Command): void {
  program
    .command("packages")
    .description("List the packages of this repository")
    .addHelpText(
      "after",
      `${examples(
        ["pm packages", "workspaces, crates, modules; * marks the one you are in"],
        ["pm packages --json", "for scripts"],
        ['pm search "retry" --package api', "search one of them"],
      )}\n\nInside a package, \`pm search\` shows its results first.`,
    )
    .action(query(async () => (await import("./packages.ts")).packagesCommand));
}
