import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { findImpact } from "./operation.ts";

/** `pm code impact`. */
export function declareImpact(code: Command): void {
  const impact = code
    .command("impact")
    .description("List what a change may affect, tests first")
    .argument("[what...]", "a symbol (name, Type.name), a file, or lines of it (src/db.ts:12-20)");
  addOptions(impact, findImpact, { of: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm code impact parseConfig", "what calls it, and what calls that"],
        ["pm code impact Session.close src/db.ts", "a method, and all of a file"],
        ["pm code impact --diff", "what your uncommitted changes may affect"],
        ["pm code impact --diff --json", "for scripts; `test_files` lists the tests to run"],
      )}\n\nEach call is marked: resolved (found by imports, scopes and types), dispatch (through an interface or base class),
unique (a guess: only one definition has this name) or ambiguous (several definitions have it). Exits with 5 when nothing has the name.`,
    )
    .action(query(async () => (await import("./pm-impact.ts")).impactCommand));
}
