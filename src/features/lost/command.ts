import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { findLostText } from "./operation.ts";

/** `pm memory lost`. */
export function declareLost(memory: Command): void {
  const lost = memory
    .command("lost")
    .description("Recover text of a file that was overwritten or discarded and never committed")
    .argument("<file>", "the file, which may be gone");
  addOptions(lost, findLostText, { file: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory lost src/auth.ts", "the latest first; nothing is written"],
        ["pm memory lost src/auth.ts --json | jq -r '.texts[0].lines[]'", "only the text"],
      )}\n\nExits with 5 when nothing of it was lost.`,
    )
    .action(query(async () => (await import("./pm-lost.ts")).lostCommand));
}
