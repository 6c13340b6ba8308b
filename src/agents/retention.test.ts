import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { findRetention } from "./retentions.ts";

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-retention-"));
  home = join(root, "home");
});

function write(file: string, content: unknown): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const of = (agent: string) => findRetention(agent, root, { HOME: home });

it("retention of Claude Code comes from its strongest settings file; default 30 days", () => {
  const setting = "cleanupPeriodDays";
  expect(of("claude")).toEqual({ days: 30, setting, source: null });
  const user = write(join(home, ".claude/settings.json"), { [setting]: 365 });
  expect(of("claude")).toEqual({ days: 365, setting, source: user });
  const project = write(join(root, ".claude/settings.json"), { [setting]: 90 });
  expect(of("claude")).toEqual({ days: 90, setting, source: project });
  const local = write(join(root, ".claude/settings.local.json"), { [setting]: 7 });
  expect(of("claude")).toEqual({ days: 7, setting, source: local });
  for (const odd of ['{"cleanupPeriodDays": 0}', '{"cleanupPeriodDays": "7"}', "{", "[]"]) {
    write(local, odd);
    expect(of("claude")).toEqual({ days: 90, setting, source: project });
  }
});

it("retention of Gemini CLI comes from its settings; default 30 days", () => {
  const setting = "general.sessionRetention.maxAge";
  const retention = (sessionRetention: object) => ({ general: { sessionRetention } });
  expect(of("gemini")).toEqual({ days: 30, setting, source: null });
  const user = write(join(home, ".gemini/settings.json"), retention({ enabled: true, maxAge: "2w" }));
  expect(of("gemini")).toEqual({ days: 14, setting, source: user });
  const project = write(join(root, ".gemini/settings.json"), retention({ maxAge: "12h" }));
  expect(of("gemini")).toEqual({ days: 0.5, setting, source: project });
  write(project, retention({ maxAge: "soon" }));
  expect(of("gemini")).toBeNull();
  write(project, retention({ enabled: false }));
  expect(of("gemini")).toBeNull();
});

it("retention of Codex CLI is unlimited", () => {
  expect(of("codex")).toBeNull();
});
