import { basename } from "node:path";
import { loadConfig } from "../../../../project/config/config.ts";
import { PommelError } from "../../../../project/errors.ts";
import type { Project } from "../../../../project/paths.ts";
import { plainFiles } from "../../../../store/encryption/convert.ts";
import { envelopeOf } from "../../../../store/encryption/envelope.ts";
import { unlock } from "../../../../store/encryption/keys.ts";
import { sealedEngine } from "../../../../store/encryption/sealed-driver.ts";
import { backupFolder } from "../../../../store/memory/backups/copies.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** What never is encrypted, as it is needed before the key, or holds nothing of the memory. */
const alwaysPlain =
  "config.toml, daemon.json, writer.lock, the hash of the last audit record and what Node prints in a crash stay plain";

/** What is stored plain, and whether what is not can be read. */
export function checkEncryption(project: Project): CheckResult {
  try {
    const { config } = loadConfig(project);
    const envelope = envelopeOf(project);
    if (envelope === null) {
      return config["storage.encrypt"]
        ? warn("storage.encrypt is on, and nothing is encrypted yet", "Run `pm encrypt`, or `pm start`.")
        : ok("everything is stored plain, for the owner only (`pm encrypt` encrypts it)");
    }
    sealedEngine();
    unlock(envelope);
    const backups = [backupFolder(project.memoryDb, config["backup.folder"])];
    const plain = plainFiles(project, { backups });
    if (plain.length === 0) {
      return ok(
        `memory, index, backups, audit log, spool and log are encrypted (key: ${envelope.source.kind}); ${alwaysPlain}`,
      );
    }
    const names = plain.map((file) => basename(file)).join(", ");
    return warn(`These are still plain: ${names}.`, "Run `pm encrypt`, which does the rest.");
  } catch (error) {
    if (error instanceof PommelError) return fail(error.message, error.hint);
    throw error;
  }
}
