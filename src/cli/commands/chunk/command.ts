import type { Command } from "commander";
import { examples, query } from "../../frame.ts";

/** `pm chunk`: options and help; the code is loaded when it runs. */
export function declareChunk(program: Command): void {
  program
    .command("chunk")
    .description("Show a function, class or other chunk of code, what it lies in and what lies in it")
    .argument("<place>", "FILE:LINE, FILE:FIRST-LAST, or an id of a search result")
    .addHelpText(
      "after",
      `${examples(
        ["pm chunk src/auth.ts:42", "the function at this line, and its class"],
        ["pm chunk src/auth.ts:10-80", "the smallest chunk that holds these lines"],
        ["pm chunk a81e44d09c7b2f15", "by id, such as parent_id of pm search --json"],
      )}\n\nExits with 5 when there is none.`,
    )
    .action(query(async () => (await import("./chunk.ts")).chunkCommand));
}
