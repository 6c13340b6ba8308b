import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

export function declareConfig(program: Command): void {
  const config = program
    .command("config")
    .description("Read and change settings (listed in docs/configuration.md)")
    .addHelpText(
      "after",
      formatExamples(
        ["pm config", "every setting, its value and where it comes from"],
        ["pm config get search.limit", "one value"],
        ["pm config set search.limit 20", "for this project"],
        ['pm config set index.exclude "dist/**,*.min.js"', "a list, comma separated"],
        ["pm config set --global daemon.port 7420", "for all your projects"],
        ["pm config unset search.limit", "the global or default value counts again"],
      ),
    );
  const globalOption = ["--global", "your own settings, for all projects"] as const;
  const teamOption = ["--team", "for everybody who uses the repository, in .pommel/config.toml"] as const;

  config
    .command("list", { isDefault: true })
    .description("Print every setting with its value and where it comes from")
    .argument("[prefix]", "only settings with this prefix")
    .option(...globalOption)
    .addHelpText("after", formatExamples(["pm config list index", "the settings of [index]"]))
    .action(run(async () => (await import("./pm-config.ts")).configListCommand));

  config
    .command("get")
    .description("Print the value of a setting")
    .argument("<key>", "the setting, such as search.limit")
    .option(...globalOption)
    .addHelpText("after", formatExamples(["pm config get search.limit", "prints 10"]))
    .action(run(async () => (await import("./pm-config.ts")).configGetCommand));

  config
    .command("set")
    .description("Change a setting; the file's comments and order are kept")
    .argument("<key>", "the setting, such as search.limit")
    .argument("<value>", "a number, true or false, a word, or a comma separated list")
    .option(...globalOption)
    .option(...teamOption)
    .addHelpText("after", formatExamples(["pm config set search.limit 20", "for this project"]))
    .action(run(async () => (await import("./pm-config.ts")).configSetCommand));

  config
    .command("unset")
    .description("Remove a setting from your file of this project, or from another file")
    .argument("<key>", "the setting, such as search.limit")
    .option(...globalOption)
    .option(...teamOption)
    .addHelpText(
      "after",
      formatExamples([
        "pm config unset search.limit",
        "the value from another file, or the default, counts again",
      ]),
    )
    .action(run(async () => (await import("./pm-config.ts")).configUnsetCommand));
}
