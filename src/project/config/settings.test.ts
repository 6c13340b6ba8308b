import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { envName } from "./config.ts";
import { allowedValues, settingKeys, tomlLiteral } from "./setting-values.ts";
import { settings } from "./settings.ts";

const documentation = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
const sections = documentation.split(/^### /m).slice(1);

it.each(settingKeys)("%s has matching documentation, and an allowed default", (key) => {
  const { about, schema, default: value } = settings[key];
  const section = `### ${key}

${about}

- Default: \`${tomlLiteral(value)}\`
- Allowed: ${allowedValues(schema)}
- Environment: \`${envName(key)}\`
`;
  // Two texts to compare show what to correct; "does not contain" would not.
  const documented = sections.find((text) => text.startsWith(`${key}\n`));
  expect(`### ${documented?.trimEnd()}\n`).toBe(section);
  expect(schema.safeParse(value).success).toBe(true);
});

it("documents no setting that does not exist", () => {
  expect(sections.map((text) => text.split("\n")[0])).toEqual(settingKeys);
});
