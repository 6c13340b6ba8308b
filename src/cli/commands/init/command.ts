import type { Command } from "commander";
import { defaultAgentName, setupNames } from "../../../agents/profiles.ts";
import { examples, run } from "../../frame.ts";

/** `pm init`: options and help; the code is loaded when it runs. */
export function declareInit(program: Command): void {
  program
    .command("init")
    .description("Set up Pommel in this repository, or in a directory without git")
    .option("--languages <ids>", "index only these languages, comma separated (ids, names or extensions)")
    .option(
      "--agent <names>",
      `the agents to set up, comma separated: ${setupNames.join(", ")} (default: ${defaultAgentName})`,
    )
    .option("--hooks", "add hooks to the agents' settings and git, even after pm disable")
    .option("--no-hooks", "do not touch hooks")
    .option("--mcp", "register the MCP server, so that agents can query Pommel")
    .option("--allow", "allow agents to call Pommel's tools without asking each time")
    .option("--instructions", "add a section on Pommel to the file agents read at start")
    .option("--local", "set up agents for you only, in uncommitted files")
    .option("--team", "set up agents for the team, in files to commit (default without a terminal)")
    .option("--import", "import past sessions of agents in this project")
    .option("--no-import", "do not offer to import past sessions")
    .option("-y, --yes", "hooks, --mcp, --allow and --instructions for every agent used here, without asking")
    .option("--global", "set up your agents for all projects, in your home; creates no project")
    .option("--start", "start the daemon, which indexes the project")
    .option("--no-start", "do not offer to start the daemon")
    .addHelpText(
      "after",
      examples(
        ["pm init", "set up this repository; asks how at a terminal"],
        ["pm init --start --import", "start indexing, and import past sessions"],
        ["pm init --local", "agents' hooks for you only, not committed"],
        ["pm init --yes", "everything for the agents you use"],
        ["pm init --agent claude,codex --mcp", "with hooks and the MCP server for two agents"],
        ["pm init --global --yes", "your agents in all projects"],
        ["pm init --languages go,ts", "index only Go and TypeScript"],
      ),
    )
    .action(run(async () => (await import("./init.ts")).initCommand));
}
