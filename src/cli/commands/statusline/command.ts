import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm statusline`: options and help. */
export function declareStatusline(program: Command): void {
  program
    .command("statusline")
    .description(
      "Print a line on the session for an agent's status line, or on the project for a shell's prompt",
    )
    .option("--prompt", "for a prompt: reads no stdin, and prints nothing where there is nothing to say")
    .addHelpText(
      "after",
      `${examples(
        ["pm statusline < status.json", "what Claude Code runs, with its JSON on stdin"],
        ["pm statusline --prompt", "for starship or PS1"],
      )}\n\nAsks a running daemon and starts none. Always exits with 0. Set-up: docs/editors.md.`,
    )
    .action(
      run(async () => {
        const { printStatusline } = await import("../../../hooks/statusline.ts");
        return (_, { prompt = false }: { prompt?: boolean }) => printStatusline(prompt);
      }),
    );
}
