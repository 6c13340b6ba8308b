import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { readAuditRecords, verifyAudit } from "../../answers/audit.ts";
import { run } from "../../answers/run.ts";
import { locateHome, locateOwnConfig } from "../../base/home.ts";
import { locateGlobalPatterns } from "../../redact/patterns/patterns-file.ts";
import { Memory } from "../../store/memory/memory.ts";
import { searchHistory } from "../search/operation.ts";
import { scrub } from "./operation.ts";

let home: ReturnType<typeof temporaryHome>;
afterEach(() => home.remove());

it("what was asked goes with a pattern that is added later, and what is asked from then on is scrubbed by it", async () => {
  home = temporaryHome();
  const project = namedProject(join(home.dir, "app"));
  mkdirSync(locateHome().configDir, { recursive: true });
  writeFileSync(locateOwnConfig(), "[audit]\nenabled = true\n");
  const memory = Memory.open(project.memoryDb, { readonly: false });
  addSession(memory, "one", { lastAt: 1, startedAt: 1 });
  memory.close();
  const ask = (q: string) => run(searchHistory, project, { q }).catch(() => null);
  const word = "Wolpertinger";

  await ask(`why "${word}"?`);
  await ask("why not?");
  writeFileSync(
    locateGlobalPatterns(),
    `[[patterns]]\nname = "beast"\npattern = "${word}"\nreplacement = "[REDACTED_BEAST]"\n`,
  );
  await run(scrub, project, {});
  await ask(`which ${word}?`);
  for (const name of readdirSync(project.auditDir).filter((one) => one.endsWith(".jsonl")))
    expect(readFileSync(join(project.auditDir, name), "utf8")).not.toContain(word);
  expect([...readAuditRecords(project)].map(({ question }) => question && JSON.parse(question).q)).toEqual([
    null,
    "why not?",
    "which [REDACTED_BEAST]?",
  ]);
  expect(verifyAudit(project).broken).toBeNull();
});
