import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codexSetup } from "../agents/codex/setup.ts";
import { geminiSetup } from "../agents/gemini/setup.ts";
import { makeSectionEditor } from "../agents/setup/section.ts";
import { type AgentSetup, makePart, type PartName, type SetupTarget } from "../agents/setup.ts";
import { AgentPart, listPartsToRemove } from "./agent-part.ts";
import { readRecord, withPlaceLock } from "./record.ts";

let dir: string;
let place: SetupTarget;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-setup-"));
  const recordFile = join(dir, ".pommel/setup.json");
  place = { scope: "project", dir, recordFile, env: { HOME: join(dir, "home") } };
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

const partOf = (setup: AgentSetup, name: PartName) =>
  new AgentPart(place, setup, setup.parts.find((part) => part.name === name)!);
const put = (setup: AgentSetup, name: PartName) => partOf(setup, name).put()[0];
const take = (setup: AgentSetup, name: PartName) => partOf(setup, name).take();
const takeAll = () => {
  for (const part of listPartsToRemove(place)) part.take();
};
const agentsFile = () => join(dir, "AGENTS.md");
const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("a file with several parts", () => {
  it.each([
    ["", "mcp", "hooks"],
    ["{ }", "hooks", "mcp"],
  ] as const)("is restored whichever came first: %j, %s", (text, first, second) => {
    mkdirSync(join(dir, ".gemini"));
    const file = join(dir, ".gemini/settings.json");
    writeFileSync(file, text);
    put(geminiSetup, first);
    put(geminiSetup, second);
    takeAll();
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("is removed also when two agents share it", () => {
    mkdirSync(join(dir, ".gemini"));
    writeFileSync(join(dir, ".gemini/settings.json"), '{"context": {"fileName": "AGENTS.md"}}');
    put(geminiSetup, "instructions");
    expect(put(codexSetup, "instructions")).toMatchObject({ outcome: "already" });
    takeAll();
    expect(existsSync(agentsFile())).toBe(false);
  });
});

describe("an interrupted change", () => {
  it("is undone when the file cannot be written, with the created directories", () => {
    // The file's name fits, but not that of a draft beside it.
    const file = join(dir, "made/for/it", "x".repeat(250));
    const part = makePart("instructions", () => file, makeSectionEditor(1, "Known."));
    expect(() => new AgentPart(place, codexSetup, part).put()).toThrow(
      expect.objectContaining({ code: "unreadable" }),
    );
    expect(existsSync(join(dir, "made"))).toBe(false);
    expect(readRecord(place).files).toEqual({});
  });

  it("leaves the file alone when the record cannot be written", () => {
    mkdirSync(join(dir, ".pommel/setup.json"), { recursive: true });
    expect(() => put(codexSetup, "instructions")).toThrow(
      expect.objectContaining({ code: "unreadable", message: expect.stringContaining("setup.json") }),
    );
    expect(existsSync(agentsFile())).toBe(false);
  });

  it("of a killed process is cleaned up", () => {
    writeFileSync(`${agentsFile()}.pommel-${deadPid()}`, "half");
    writeFileSync(`${agentsFile()}.pommel-mine`, "");
    mkdirSync(join(dir, ".pommel"));
    writeFileSync(`${place.recordFile}.lock`, String(deadPid()));
    put(codexSetup, "instructions");
    expect(readdirSync(dir).sort()).toEqual([".pommel", "AGENTS.md", "AGENTS.md.pommel-mine"]);
    expect(readdirSync(join(dir, ".pommel"))).toEqual(["setup.json"]);
  });
});

it("is prevented by a lock on the place's files", () => {
  withPlaceLock(place, () => {
    const lock = `${place.recordFile}.lock`;
    expect(readFileSync(lock, "utf8")).toBe(String(process.pid));
    // The lock's owner exits meanwhile.
    const wait = vi.spyOn(Atomics, "wait").mockImplementation(() => {
      rmSync(lock);
      return "timed-out";
    });
    put(codexSetup, "instructions");
    expect(wait).toHaveBeenCalledTimes(1);
  });
});

it("does not block on a pipe in place of a file", () => {
  execFileSync("mkfifo", [agentsFile()]);
  expect(() => put(codexSetup, "instructions")).toThrow(
    expect.objectContaining({ code: "unreadable", message: expect.stringContaining("it is a pipe") }),
  );
});

describe("a section", () => {
  const newer = makeSectionEditor(7, "What is known.");

  it("of a newer Pommel is kept, and removed by `pm disable`", () => {
    const { text } = newer.add("Mine.\n", "file");
    expect(makeSectionEditor(6, "What was known.").look(text, "file")).toEqual({
      state: "current",
      detail: [],
    });
    expect(makeSectionEditor(6, "What was known.").remove(text, "file", [])).toBe("Mine.\n");
  });

  it("leaves a blank line between paragraphs when removed", () => {
    const { text } = newer.add("Above.\n", "file");
    for (const gap of ["", "\n"])
      expect(newer.remove(`${text}${gap}Below.\n`, "file", [])).toBe("Above.\n\nBelow.\n");
  });
});

it.skipIf(process.getuid?.() === 0)("a read-only file is not replaced", () => {
  writeFileSync(agentsFile(), "Mine.\n", { mode: 0o444 });
  expect(() => put(codexSetup, "instructions")).toThrow(expect.objectContaining({ code: "unreadable" }));
  expect(take(codexSetup, "instructions")).toEqual([]);
  expect(readFileSync(agentsFile(), "utf8")).toBe("Mine.\n");
});
