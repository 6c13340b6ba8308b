import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { transcript } from "../../test/support/transcript-fixture.ts";
import { setupNames } from "./profiles.ts";
import { agents, defaultAgent, findAgentByName, recognise, setups } from "./registry.ts";

it("the registry finds every agent by name", () => {
  expect(new Set(agents.map(({ name }) => name)).size).toBe(agents.length);
  for (const agent of agents) expect(findAgentByName(agent.name)).toBe(agent);
  expect(agents).toContain(defaultAgent);
  expect(findAgentByName("nobody")).toBeUndefined();
});

it("every agent that the command line offers to set up has a setup", () => {
  expect(setups.map(({ agent }) => agent)).toEqual(setupNames);
});

it("the registry recognises a transcript's agent by its content", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-registry-"));
  const t = transcript();
  t.prompt("Where is the cart?");
  const file = t.writeTo(join(dir, "projects", "shop"));
  expect(await recognise(file)).toMatchObject({ agent: { name: "claude" }, info: { session: t.session } });
  mkdirSync(join(dir, "other"));
  writeFileSync(join(dir, "other", "x.jsonl"), '{"a":1}\n');
  expect(await recognise(join(dir, "other", "x.jsonl"))).toBeNull();
  expect(await recognise(join(dir, "absent.jsonl"))).toBeNull();
});
