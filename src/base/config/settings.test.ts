import { expect, it } from "vitest";
import { settingKeys } from "./setting-values.ts";
import { settings } from "./settings.ts";

it.each(settingKeys)("%s has a default that is allowed", (key) => {
  const { schema, default: value } = settings[key];
  expect(schema.safeParse(value).success).toBe(true);
});
