import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm mcp`: options and help; the code is loaded when it runs. */
export function declareMcp(program: Command): void {
  program
    .command("mcp")
    .description("Serve an agent over MCP on stdin and stdout until stdin closes")
    .option("--all-projects", "searches look in all Pommel projects on this machine (`pm projects`)")
    .addHelpText(
      "after",
      `${examples(
        ["pm mcp -C ~/src/app", "for that project, wherever it starts"],
        ["pm mcp --all-projects", "search code and sessions of all projects"],
        ["claude mcp add pommel -- pm mcp", "have Claude Code start it in every session"],
      )}\n\nIn a directory that is no project but holds some, it answers for them. Its tools: docs/mcp.md.`,
    )
    .action(run(async () => (await import("./mcp.ts")).mcpCommand));
}
