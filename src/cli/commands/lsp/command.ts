import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm lsp`: options and help; the code is loaded when it runs. */
export function declareLsp(program: Command): void {
  program
    .command("lsp")
    .description("Serve an editor over the Language Server Protocol on stdin and stdout")
    .option("--stdio", "accepted for editors that pass it; there is no other way")
    .addHelpText(
      "after",
      `${examples(["pm lsp", "an editor starts it; see docs/editors.md for Neovim, Helix, Zed, Emacs and Vim"])}\n\nHover a line to see who wrote it, for which prompt, in which commit.`,
    )
    .action(
      run(async () => {
        const { startLsp } = await import("../../../lsp/start.ts");
        return async () => {
          startLsp();
          return new Promise<undefined>(() => {});
        };
      }),
    );
}
