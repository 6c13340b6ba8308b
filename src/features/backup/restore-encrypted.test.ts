import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import type { Project } from "../../base/paths.ts";
import { encryptHome } from "../../store/encryption/convert.ts";
import { readHomeEnvelope } from "../../store/encryption/envelope.ts";
import { forgetKeys, passphraseVariable } from "../../store/encryption/keys.ts";
import { readUids } from "../../store/memory/backups/backup-content.ts";
import { Memory } from "../../store/memory/memory.ts";
import { Registry } from "../../store/registry.ts";
import { backUpMemory, restoreBackup } from "./backups.ts";

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
  process.env[passphraseVariable] = "correct horse";
});
afterEach(() => {
  delete process.env[passphraseVariable];
  forgetKeys();
  home.remove();
});

function projectWith(sessionUid: string): Project {
  const root = join(home.dir, sessionUid);
  mkdirSync(root);
  const project = namedProject(root);
  const memory = Memory.open(project.memoryDb, { readonly: false });
  addSession(memory, sessionUid);
  memory.close();
  return project;
}

const canBeRead = (project: Project, text: string) => readFileSync(project.memoryDb).includes(text);

it("a backup that is encrypted makes a home that was not encrypt all that it holds", () => {
  const backup = join(home.dir, "backup.db");
  const original = projectWith("wombat-original");
  encryptHome("passphrase", { backups: [] });
  backUpMemory(original, { to: backup });

  Registry.close();
  process.env.POMMEL_HOME = join(home.dir, "other-home");
  forgetKeys();
  const [restored, beside] = [projectWith("wombat-restored"), projectWith("wombat-beside")];
  expect(readHomeEnvelope()).toBeNull();
  expect(canBeRead(beside, "wombat-beside")).toBe(true);

  restoreBackup(restored, { backup, as: "wombat-restored" });
  expect(readHomeEnvelope()).not.toBeNull();
  expect([...readUids(restored.memoryDb).sessions]).toEqual(["wombat-original"]);
  expect(canBeRead(restored, "wombat-original")).toBe(false);
  expect(canBeRead(beside, "wombat-beside")).toBe(false);
  expect([...readUids(beside.memoryDb).sessions]).toEqual(["wombat-beside"]);
});
