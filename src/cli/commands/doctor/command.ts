import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm doctor`: options and help; the code is loaded when it runs. */
export function declareDoctor(program: Command): void {
  program
    .command("doctor")
    .description("Check this machine and project, with a fix for each problem")
    .option("--fix", "repair what can be repaired safely (permissions, stale files)")
    .addHelpText(
      "after",
      examples(["pm doctor", "check everything"], ["pm doctor --fix", "repair what can be repaired safely"]),
    )
    .action(run(async () => (await import("./doctor.ts")).doctorCommand));
}
