import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm impact`: options and help; the code is loaded when it runs. */
export function declareImpact(program: Command): void {
  const impact = program
    .command("impact")
    .description("List what a change may touch, tests first")
    .argument("[what...]", "a symbol (name, Type.name), a file, or lines of it (src/db.ts:12-20)");
  addOptions(impact, "impact", { of: null })
    .addHelpText(
      "after",
      `${examples(
        ["pm impact parseConfig", "what calls it, and what calls that"],
        ["pm impact Session.close src/db.ts", "a method, and all of a file"],
        ["pm impact --diff", "what your uncommitted changes may touch"],
        ["pm impact --diff --json", "for scripts: test_files are those to run"],
      )}\n\nAn edge is resolved (by imports, scopes and types), dispatch (through what it implements), unique (the only
definition of that name) or ambiguous. Exits with 5 when nothing has the name.`,
    )
    .action(query(async () => (await import("./impact.ts")).impactCommand));
}
