import { expect, test } from "vitest";
import { formatAgentShare, wordLinesByAuthor, wordSharesByAuthor } from "./authors.ts";

const lines = { agent: 1200, human: 1, unknown: 0 };

test("lines and shares leave out who wrote nothing", () => {
  expect(wordLinesByAuthor(lines)).toBe("1,200 lines by agents, 1 by people");
  expect(wordLinesByAuthor({ agent: 0, human: 1, unknown: 0 })).toBe("1 line by people");
  expect(wordLinesByAuthor({ agent: 0, human: 0, unknown: 0 })).toBe("no lines added");
  expect(wordSharesByAuthor({ ...lines, before_agents: 1201 })).toBe(
    "50% by agents, <1% by people, 50% from before agents",
  );
});

test("of lines whose authors are not known there is no share of agents", () => {
  expect(formatAgentShare({ agent: 0, human: 0, unknown: 4 })).toBe("–");
  expect(formatAgentShare({ agent: 0, human: 4, unknown: 0 })).toBe("0%");
  expect(formatAgentShare({ agent: 0, human: 0, unknown: 0 })).toBe("");
});
