import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";

/** `pm code packages`. */
export function declarePackages(code: Command): void {
  code
    .command("packages")
    .description("List the packages of this repository")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm code packages", "workspaces, crates, modules; * marks the one you are in"],
        ["pm code packages --json", "for scripts"],
        ['pm search "retry" --package api', "search one of them"],
      )}\n\nInside a package, \`pm search\` shows its results first.`,
    )
    .action(query(async () => (await import("./pm-packages.ts")).packagesCommand));
}
