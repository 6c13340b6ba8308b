import { type Command, Option } from "commander";
import { defaultAgentName, setupNames } from "../../../agents/profiles.ts";
import { examples, run } from "../../frame.ts";

/** `pm init`: options and help; the code is loaded when it runs. */
export function declareInit(program: Command): void {
  program
    .command("init")
    .description("Record this project, and set up agents in it for you (all projects: pm setup)")
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
    .option("--local", "set up agents for you only, in uncommitted files (default)")
    .option("--team", "set up agents for the team, in files to commit")
    .option("--import", "import past sessions of agents in this project")
    .option("--no-import", "do not offer to import past sessions")
    .option("-y, --yes", "do not ask: everything that it would offer at a terminal")
    .addOption(new Option("--global").hideHelp())
    .option("--start", "start the daemon, which indexes the project")
    .option("--no-start", "do not offer to start the daemon")
    .addHelpText(
      "after",
      examples(
        ["pm init", "set up this repository; asks how at a terminal"],
        ["pm init --start --import", "start indexing, and import past sessions"],
        ["pm init --yes", "the same without asking"],
        ["pm init --team", "agents' files to commit, for everybody who works here"],
        ["pm init --agent claude,codex --mcp", "with hooks and the MCP server for two agents"],
        ["pm init --languages go,ts", "index only Go and TypeScript"],
      ),
    )
    .action(run(async () => (await import("./init.ts")).initCommand));
}
