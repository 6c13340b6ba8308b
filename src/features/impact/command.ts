import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { findImpact } from "./operation.ts";

/** `pm code impact`. */
export function declareImpact(code: Command): void {
  const impact = code
    .command("impact")
    .description("List what a change may touch, tests first")
    .argument("[what...]", "a symbol (name, Type.name), a file, or lines of it (src/db.ts:12-20)");
  addOptions(impact, findImpact, { of: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm code impact parseConfig", "what calls it, and what calls that"],
        ["pm code impact Session.close src/db.ts", "a method, and all of a file"],
        ["pm code impact --diff", "what your uncommitted changes may touch"],
        ["pm code impact --diff --json", "for scripts: test_files are those to run"],
      )}\n\nAn edge is resolved (by imports, scopes and types), dispatch (through what it implements), unique (the only
definition of that name) or ambiguous. Exits with 5 when nothing has the name.`,
    )
    .action(query(async () => (await import("./pm-impact.ts")).impactCommand));
}
