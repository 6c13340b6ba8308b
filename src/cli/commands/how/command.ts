import type { Command } from "commander";
import { examples, query, run } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm how`: options and help; the code is loaded when it runs. */
export function declareHow(program: Command): void {
  const how = program
    .command("how")
    .description("Show the command lines that worked here for something, with what failed before they did")
    .argument("<what...>", "what to run, or a command line that failed");
  addOptions(how, "how", { q: null })
    .addHelpText(
      "after",
      `${examples(
        ["pm how test", "how the tests are run here"],
        ['pm how "run one integration test"', "with the flags that it takes"],
        ['pm how "go test ./..."', "what worked where this failed"],
      )}\n\nExits with 5 when agents ran nothing like it here.`,
    )
    .action(query(async () => (await import("./how.ts")).howCommand));
}

/** `pm fix` */
export function declareFix(program: Command): void {
  const fix = program
    .command("fix")
    .description("Find an error that agents met here before, and what fixed it")
    .argument("[error...]", "the error; without it, read from stdin");
  addOptions(fix, "fix", { error: null })
    .addHelpText(
      "after",
      `${examples(
        ['pm fix "undefined: openStore"', "an error, without its paths, numbers and hashes"],
        ["make 2>&1 | pm fix", "the errors of a build"],
        ["pm fix --json < build.log", "for scripts"],
      )}\n\nExits with 5 when no agent met it here.`,
    )
    .action(run(async () => (await import("./fix.ts")).fixCommand));
}
