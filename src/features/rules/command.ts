import { type Command, Option } from "commander";
import { formatExamples, query, run } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { proposeRules, ruleModes } from "./operation.ts";

const makeModeOption = () =>
  new Option("--mode <mode>", "what happens when an agent is about to break it (default: remind)").choices(
    ruleModes,
  );

/** `pm rules` */
export function declareRules(program: Command): void {
  const rules = program
    .command("rules")
    .description("Check what agents are about to do against your rules")
    .addHelpText(
      "after",
      formatExamples(
        [
          "pm rules propose",
          "rules based on what you said, each with the past calls that it would have caught",
        ],
        ["pm rules accept 4f1d --mode ask", "ask you before the call runs"],
        ['pm rules add "never push to main" --command "git push main"', "a rule in your own words"],
        ["pm rules --markdown", "as text for AGENTS.md"],
      ),
    );
  rules
    .command("list", { isDefault: true })
    .description("List the rules")
    .option("--markdown", "as text for AGENTS.md or CLAUDE.md")
    .option(
      "--toml",
      "as a rules file for the repository, so that the agents of everybody who works in it are reminded",
    )
    .addHelpText(
      "after",
      formatExamples(
        ["pm rules", "all rules"],
        ["pm rules --markdown >> AGENTS.md", "for every agent"],
        ["pm rules --toml > .pommel/rules.toml", "for everybody who works in the repository"],
      ),
    )
    .action(query(async () => (await import("./pm-rules.ts")).listCommand));
  addOptions(
    rules
      .command("propose")
      .description(
        "Propose rules based on what you said, each with the past calls that it would have caught",
      ),
    proposeRules,
  )
    .addHelpText(
      "after",
      formatExamples(
        ["pm rules propose", "the most often said first"],
        ["pm rules propose --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("./pm-rules.ts")).proposeCommand));
  rules
    .command("accept")
    .description("Accept a proposed rule")
    .argument("<id>", "its id; the beginning is enough")
    .addOption(makeModeOption())
    .addHelpText(
      "after",
      formatExamples(
        ["pm rules accept 4f1d", "remind agents of it"],
        ["pm rules accept 4f1d --mode deny", "deny the call"],
      ),
    )
    .action(run(async () => (await import("./pm-rules.ts")).acceptCommand, { startsDaemon: true }));
  rules
    .command("add")
    .description("Add a rule in your own words")
    .argument("<text...>", "the sentence that agents get")
    .option("--command <command>", 'a command that agents must not run: "git push --force"')
    .option("--path <path>", "files that agents must not change: a path or a glob")
    .option("--created <path>", "files that agents must not create: a path or a glob")
    .option("--added <text>", "a text that agents must not write")
    .option("--tool <name>", 'a tool that agents must not use: "WebSearch", "mcp__playwright__*"')
    .addOption(makeModeOption())
    .addHelpText(
      "after",
      formatExamples(
        ['pm rules add "use pnpm" --command npm --mode deny', "a command"],
        ['pm rules add "migrations are never edited" --path "db/migrations/**"', "files"],
        ['pm rules add "log with slog" --added fmt.Println', "a text"],
        ['pm rules add "no browser here" --tool "mcp__playwright__*"', "the tools of an MCP server"],
      ),
    )
    .action(run(async () => (await import("./pm-rules.ts")).addCommand, { startsDaemon: true }));
  rules
    .command("drop")
    .description("Delete a rule, or stop proposing it")
    .argument("<id>", "its id; the beginning is enough")
    .addHelpText("after", formatExamples(["pm rules drop 4f1d", "neither checked nor proposed any more"]))
    .action(run(async () => (await import("./pm-rules.ts")).dropCommand, { startsDaemon: true }));
  rules
    .command("mode")
    .description("Set what happens when an agent is about to break a rule: remind, ask or deny")
    .argument("<id>", "its id; the beginning is enough")
    .argument("<mode>", ruleModes.join(", "))
    .addHelpText("after", formatExamples(["pm rules mode 4f1d ask", "ask you first"]))
    .action(run(async () => (await import("./pm-rules.ts")).modeCommand, { startsDaemon: true }));
  rules
    .command("test")
    .description("Show which rules would apply to a command or an edit")
    .argument("[command...]", "a command line")
    .option("--path <path>", "a file to be changed, as a path from the project's root")
    .option("--added <text>", "the text to be written into it")
    .option("--tool <name>", "the tool to be used")
    .addHelpText(
      "after",
      `${formatExamples(['pm rules test "git push origin main"', "a command"], ["pm rules test --path db/migrations/1.sql", "an edit"])}\n\nExits with 5 if no rule applies.`,
    )
    .action(query(async () => (await import("./pm-rules.ts")).testCommand));
}
