/**
 * Runs before every test file: no test may see the real home, its configuration or its git settings, and daemons run where
 * a test starts them.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { startElsewhere } from "./support/starter.ts";

const home = mkdtempSync(join(tmpdir(), "pommel-home-"));
process.env.HOME = home;
// Where Windows has it.
process.env.USERPROFILE = home;
process.env.XDG_CONFIG_HOME = join(home, ".config");
process.env.XDG_DATA_HOME = join(home, ".local", "share");
process.env.XDG_STATE_HOME = join(home, ".local", "state");
process.env.XDG_CACHE_HOME = join(home, ".cache");
delete process.env.POMMEL_HOME;
process.env.GIT_CONFIG_GLOBAL = join(home, ".gitconfig");
process.env.GIT_CONFIG_NOSYSTEM = "1";
// After each commit git would start a process to see whether there is anything to tidy up: half of what a commit costs.
// Nothing here outlives a power cut, so nothing waits for the disk.
writeFileSync(process.env.GIT_CONFIG_GLOBAL, "[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n");
// Node 20 reads these at every start, which takes it longer than all else; nothing here leaves the machine.
delete process.env.NODE_EXTRA_CA_CERTS;
process.env.NO_COLOR = "1";
process.env.POMMEL_DAEMON_AUTOSTART = "false";

startElsewhere();

// A slow machine is no failure: what gives up after a while has longer here. Files share their process, and no hook runs
// after one whose tests are all skipped: Node's own is kept, so that the next file does not multiply again.
const kept = globalThis as { timeoutOfNode?: typeof AbortSignal.timeout };
kept.timeoutOfNode ??= AbortSignal.timeout;
const { timeoutOfNode } = kept;
AbortSignal.timeout = (ms) => timeoutOfNode.call(AbortSignal, 10 * ms);

// Files share their processes: what one sets is not for the next.
const given = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in given)) delete process.env[name];
  Object.assign(process.env, given);
});
