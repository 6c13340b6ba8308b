import { settingKeys, tomlLiteral } from "./setting-values.ts";
import { type Config, ownSettings, settings } from "./settings.ts";

const width = 100;

/**
 * A project's `config.toml` that explains itself: every setting it may have, with what it does and its default. Only what `overrides`
 * gives is in force; the rest is commented out, so that a later version may have better defaults.
 */
export function configTemplate(overrides: Partial<Config> = {}): string {
  const lines = [
    "# Pommel's settings for this project. Commented-out lines show the defaults; to change one, remove",
    "# the # or run `pm config set <section>.<name> <value>`.",
  ];
  let section = "";
  for (const key of settingKeys) {
    if (ownSettings.has(key)) continue;
    const [itsSection = "", name = ""] = key.split(".");
    if (itsSection !== section) lines.push("", `[${itsSection}]`);
    else lines.push("");
    section = itsSection;
    lines.push(...wrap(settings[key].about).map((line) => `# ${line}`));
    lines.push(`# ${name} = ${tomlLiteral(settings[key].default)}`);
    const value = overrides[key];
    if (value !== undefined) lines.push(`${name} = ${tomlLiteral(value)}`);
  }
  return `${lines.join("\n")}\n`;
}

function wrap(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > width - 2) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
