/**
 * One piece of work on a project, as a process of its own that can be killed: `tsx step.ts <work> <root>`. Says "begin" when
 * what is loaded is loaded, and "end".
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { claude } from "../../src/agents/claude/claude.ts";
import { reindexInProcess } from "../../src/client/reindex-in-process.ts";
import { silentLog } from "../../src/project/log.ts";
import { projectAt } from "../../src/project/paths.ts";
import { withWritableMemory } from "../../src/queries/writable-memory.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { recutSessions } from "../../src/sessions/recut.ts";
import { decryptHome, encryptHome } from "../../src/store/encryption/convert.ts";
import { backUpDaily, backupFolder } from "../../src/store/memory/backups/backups.ts";
import { Memory } from "../../src/store/memory/memory.ts";

const [work = "", root = ""] = process.argv.slice(2);
const project = projectAt(root);

const steps: Record<string, () => Promise<unknown> | unknown> = {
  index: () =>
    reindexInProcess(project, {
      paths: [],
      onProgress: () => {},
      signal: new AbortController().signal,
      log: silentLog,
    }),
  import: () =>
    withWritableMemory(
      project,
      async (memoryWork) => {
        const dir = join(root, "../transcripts");
        for (const name of readdirSync(dir).sort()) {
          await ingestTranscript({ ...memoryWork, agent: claude }, join(dir, name));
        }
      },
      { create: true },
    ),
  recut: () => withWritableMemory(project, (memoryWork) => recutSessions(memoryWork)),
  backup: () => backUpDaily(project.memoryDb, { folder: backupFolder(project.memoryDb, ""), keep: 2 }),
  "import, encrypted": () => steps.import!(),
  encrypt: () => encryptHome(`file:${join(root, "../our.key")}`, { backups: [] }),
  decrypt: () => decryptHome({ backups: [] }),
  migration: () => Memory.open(project.memoryDb, { readonly: false }).close(),
};

const step = steps[work];
if (step === undefined) throw new Error(`no such work: ${work}`);
process.stdout.write("begin\n");
await step();
process.stdout.write("end\n");
