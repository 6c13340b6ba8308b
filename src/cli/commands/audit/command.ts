import { type Command, Option } from "commander";
import { doors } from "../../../protocol/door.ts";
import { examples, run } from "../../frame.ts";
import { resultLimit } from "../../values.ts";

/** `pm audit`: options and help; the code is loaded when it runs. */
export function declareAudit(program: Command): void {
  program
    .command("audit")
    .description("Show who asked what, and how much was given; with audit.enabled")
    .option("--since <time>", "only after this: a date, or words such as yesterday")
    .addOption(new Option("--door <door>", "only through this door").choices(doors))
    .option("-n, --limit <count>", "at most this many results", resultLimit)
    .option("--verify", "check that no record was changed, added or removed")
    .addHelpText(
      "after",
      examples(
        ["pm audit", "the last twenty questions"],
        ["pm audit --door mcp --since yesterday", "what agents asked"],
        ["pm audit --verify", "whether the log is whole; exit code 1 if not"],
        ["pm audit --json", "for scripts"],
      ),
    )
    .action(run(async () => (await import("./audit.ts")).auditCommand));
}
