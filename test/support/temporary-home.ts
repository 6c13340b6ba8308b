import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locateRegistry } from "../../src/base/home.ts";
import { Registry } from "../../src/store/registry.ts";

/** For tests: a home of Pommel's that nobody else uses, until it is removed. */
export function temporaryHome(): { dir: string; remove(): void } {
  const before = process.env.POMMEL_HOME;
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-own-home-")));
  process.env.POMMEL_HOME = dir;
  const registry = locateRegistry();
  return {
    dir,
    remove() {
      Registry.close(registry);
      if (before === undefined) delete process.env.POMMEL_HOME;
      else process.env.POMMEL_HOME = before;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
