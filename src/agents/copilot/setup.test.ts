import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SetupTarget } from "../setup.ts";
import { copilotSetup } from "./setup.ts";

it("says where the client trusts neither the folder nor one around it", () => {
  const root = mkdtempSync(join(tmpdir(), "pommel-copilot-"));
  const dir = join(root, "shop");
  const home = join(root, "home");
  for (const each of [dir, home, join(root, "sh")]) mkdirSync(each);
  const place: SetupTarget = {
    scope: "project",
    dir,
    env: { COPILOT_HOME: home },
    recordFile: join(root, "setup.json"),
  };
  const trust = (...trustedFolders: unknown[]) => {
    writeFileSync(
      join(home, "config.json"),
      `// Managed automatically.\n${JSON.stringify({ trustedFolders })}`,
    );
    return copilotSetup.distrust(place);
  };
  expect(copilotSetup.distrust(place)).toContain("start `copilot` here once");
  expect(trust(dir)).toBeNull();
  expect(trust("/elsewhere", root)).toBeNull();
  expect(trust(join(root, "sh"), 7, "")).toContain("trust it");
  expect(copilotSetup.distrust({ ...place, scope: "user" })).toBeNull();
  expect(copilotSetup.afterwards(place, ["hooks"])).toHaveLength(1);
  expect(copilotSetup.afterwards(place, ["skill"])).toEqual([]);
});
