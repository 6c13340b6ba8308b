import { Command } from "commander";
import { expect, it } from "vitest";
import { agents } from "../../agents/registry.ts";
import { declareImport } from "./command.ts";

it("names every agent in the help of pm import", () => {
  const program = new Command();
  declareImport(program);
  const command = program.commands.find((one) => one.name() === "import")!;
  const { description } = command.registeredArguments[0]!;
  for (const { name } of agents) expect(description).toContain(name);
});
