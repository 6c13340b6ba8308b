import type { CommandAction } from "./frame.ts";
import { createOutput, printError } from "./output.ts";
import { runProcess } from "./run-process.ts";

/**
 * `pm search <words>`, perhaps with `--json`, without the parser of command lines: agents run it all day, and that
 * parser is a tenth of it. It does exactly what pm.ts would.
 */
export function plainSearch(words: string[], json: boolean): void {
  runProcess(
    async () => {
      const { searchCommand } = await import("./commands/search.ts");
      const search: CommandAction<[words: string[], options: object]> = searchCommand;
      const context = { cwd: process.cwd(), debug: false, output: createOutput({ json }) };
      process.exitCode = (await search(context, words, {})) ?? 0;
    },
    (error) => printError(error, { json }),
  );
}
