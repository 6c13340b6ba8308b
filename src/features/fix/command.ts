import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { fix as fixOperation } from "./operation.ts";

/** `pm fix` */
export function declareFix(program: Command): void {
  const fix = program
    .command("fix")
    .description("Find an error that agents had here before, and what fixed it")
    .argument("[error...]", "the error; without it, read from stdin")
    // An error may begin with a dash: "--- FAIL: TestX".
    .allowUnknownOption();
  addOptions(fix, fixOperation, { error: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ['pm fix "undefined: openStore"', "an error, without its paths, numbers and hashes"],
        ['pm fix "--- FAIL: TestOpenStore"', "a test that failed"],
        ["make 2>&1 | pm fix", "the errors of a build"],
        ["pm fix --json < build.log", "for scripts"],
      )}\n\nExits with 5 if no agent has had this error here.`,
    )
    .action(run(async () => (await import("./pm-fix.ts")).fixCommand));
}
