import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Place } from "../setup.ts";
import { distrust } from "./trust.ts";

let home: string;
let place: Place;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pommel-gemini-"));
  mkdirSync(join(home, ".gemini"));
  place = { scope: "project", dir: join(home, "work/repo"), recordFile: "", env: { HOME: home } };
});
afterEach(() => rmSync(home, { recursive: true }));

const folders = (said: unknown) =>
  writeFileSync(join(home, ".gemini/trustedFolders.json"), JSON.stringify(said));

test("a folder that somebody said not to trust is told, and the nearest word counts", () => {
  expect(distrust(place)).toBeNull();
  folders({ [join(home, "work")]: "DO_NOT_TRUST" });
  expect(distrust(place)).toContain(`not to trust ${join(home, "work")},`);
  expect(distrust({ ...place, scope: "user" })).toBeNull();
  folders({ [join(home, "work")]: "DO_NOT_TRUST", [place.dir]: "TRUST_FOLDER" });
  expect(distrust(place)).toBeNull();
  folders("no object");
  expect(distrust(place)).toBeNull();
});
