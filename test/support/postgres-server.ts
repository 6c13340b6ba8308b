import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import postgres from "postgres";

/** A PostgreSQL on loopback, of this process alone. */
export interface TestServer {
  /** For `index.url`. */
  url: string;
  /** Which engine it is, for titles. */
  engine: string;
  /** The process that was started last; null where it did not start. */
  pid(): number | null;
  /** As a server that fails: connections end, and nothing answers any more. */
  down(): Promise<void>;
  /** Starts it again, with what was stored. */
  up(): Promise<void>;
  /** Ends it and removes what it stored. */
  stop(): Promise<void>;
}

/** Starts a server: an installed one, or PGlite (also if POMMEL_TEST_POSTGRES is pglite); null, and a reason on stderr, where there is nothing to start. */
export async function startTestServer(): Promise<TestServer | null> {
  const binaries = process.env.POMMEL_TEST_POSTGRES === "pglite" ? null : serverBinaries();
  if (binaries !== null) return startInstalled(binaries);
  const embedded = await startPglite().catch((error: unknown) => {
    process.stderr.write(`PGlite does not start: ${error}\n`);
    return null;
  });
  process.stderr.write(
    embedded === null
      ? "\nSKIPPED: tests of PostgreSQL need postgresql, or PGlite.\n"
      : "\nNOTE: no PostgreSQL is installed; PGlite is tested in its place.\n",
  );
  return embedded;
}

/** The directory of an installed server's programs; null for none. */
function serverBinaries(): string | null {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base) : [];
  for (const version of versions.sort((a, b) => Number(b) - Number(a))) {
    if (existsSync(join(base, version, "bin/initdb"))) return join(base, version, "bin");
  }
  return null;
}

async function startInstalled(binaries: string): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), "pommel-postgres-"));
  // A server refuses to run as root.
  const uid = process.getuid?.() === 0 ? idOf("-u") : undefined;
  const user = uid === undefined ? {} : { uid, gid: idOf("-g") };
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid!);
  const data = join(dir, "data");
  const initdb = [
    "-D",
    data,
    "--username=pommel",
    "--auth=trust",
    "--no-sync",
    "--encoding=UTF8",
    "--locale=C",
  ];
  execFileSync(join(binaries, "initdb"), initdb, { ...user, cwd: dir, stdio: "ignore" });
  const port = await freePort();
  const url = `postgres://pommel@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | null = null;
  const start = async () => {
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${port}`,
      `unix_socket_directories=${dir}`,
      "fsync=off",
    ];
    const started = spawn(
      join(binaries, "postgres"),
      ["-D", data, ...settings.flatMap((one) => ["-c", one])],
      { ...user, cwd: dir, stdio: ["ignore", "ignore", "pipe"] },
    );
    server = started;
    let said = "";
    started.stderr.on("data", (text: Buffer) => {
      said = (said + text).slice(-2000);
    });
    await answers(url, () => {
      if (hasEnded(started)) throw new Error(`PostgreSQL does not start: ${said}`);
    });
  };
  // A server that has just ended may hold its port or its shared memory for a moment longer.
  const up = async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await start();
      } catch (error) {
        if (tries === 5) throw error;
        await setTimeout(500 * tries);
      }
    }
  };
  const down = async () => {
    if (server === null || hasEnded(server)) return;
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await ended;
  };
  await up();
  return {
    url,
    engine: execFileSync(join(binaries, "postgres"), ["--version"], { encoding: "utf8" }).trim(),
    up,
    down,
    pid: () => server?.pid ?? null,
    async stop() {
      await down();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const idOf = (which: string) => {
  for (const name of ["postgres", "nobody"]) {
    try {
      return Number(
        execFileSync("id", [which, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
      );
    } catch {
      // Another one may be there.
    }
  }
  return 65_534;
};

/** PostgreSQL compiled to WebAssembly (pglite.mjs). */
async function startPglite(): Promise<TestServer> {
  const port = await freePort();
  const server = fork(new URL("pglite.mjs", import.meta.url), [String(port)]);
  const ended = once(server, "exit").then(([code]) => {
    throw new Error(`its process ended with code ${code}`);
  });
  ended.catch(() => {});
  const does = async (action: "up" | "down") => {
    const done = once(server, "message");
    server.send(action);
    await Promise.race([done, ended]);
  };
  await does("up");
  return {
    // It has one session; statements of several connections would mix.
    url: `postgres://postgres@127.0.0.1:${port}/postgres?max=1`,
    engine: "PGlite",
    pid: () => server.pid ?? null,
    up: () => does("up"),
    down: () => does("down"),
    async stop() {
      server.disconnect();
      await ended.catch(() => {});
    },
  };
}

/** Below those that the system gives to connections: nobody takes it while the server is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer().once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/** When the server answers; `check` throws as soon as there is no use in waiting. */
async function answers(url: string, check: () => void): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 2 });
    try {
      await sql`SELECT 1`;
      return;
    } catch (error) {
      check();
      if (Date.now() > deadline) throw error;
      await setTimeout(50);
    } finally {
      await sql.end();
    }
  }
}
