import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

export function declareDoctor(program: Command): void {
  program
    .command("doctor")
    .description("Check this machine and project, and say how to fix each problem")
    .option("--fix", "repair what can be repaired safely (permissions, stale files)")
    .option("--repair", "save what can be read of a damaged memory, rebuild a damaged index")
    .addHelpText(
      "after",
      formatExamples(
        ["pm doctor", "check everything"],
        ["pm doctor --fix", "repair what can be repaired safely"],
        ["pm doctor --repair", "repair damaged databases; the damaged files stay beside them"],
      ),
    )
    .action(run(async () => (await import("./pm-doctor.ts")).doctorCommand, { looks: true }));
}
