import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { daemonFiles, homeOf, isOwnSocket, ownConfigFile, registryFile, socketOf } from "./home.ts";

const isWindows = process.platform === "win32";

describe("a person's home", () => {
  it("is where XDG says, below HOME by default", () => {
    expect(homeOf({ HOME: "/home/ann" })).toEqual({
      configDir: "/home/ann/.config/pommel",
      dataDir: "/home/ann/.local/share/pommel",
      cacheDir: "/home/ann/.cache/pommel",
      stateDir: "/home/ann/.local/state/pommel",
    });
    expect(homeOf({ HOME: "/home/ann", XDG_DATA_HOME: "/data", XDG_STATE_HOME: "" })).toMatchObject({
      dataDir: "/data/pommel",
      stateDir: "/home/ann/.local/state/pommel",
    });
    expect(homeOf({}).configDir).toBe(join(homedir(), ".config/pommel"));
  });

  it("lies below POMMEL_HOME as a whole", () => {
    const home = homeOf({ HOME: "/home/ann", XDG_DATA_HOME: "/data", POMMEL_HOME: "/all" });
    expect(Object.values(home)).toEqual(["/all/config", "/all/data", "/all/cache", "/all/state"]);
    expect(registryFile(home)).toBe("/all/data/registry.db");
    expect(ownConfigFile(home)).toBe("/all/config/config.toml");
    for (const file of Object.values(daemonFiles(home))) expect(file).toMatch(/^\/all\/state\//);
  });
});

describe.skipIf(isWindows)("the daemon's socket", () => {
  const homeAt = (stateDir: string) => ({ ...homeOf({ POMMEL_HOME: "/all" }), stateDir });

  it("lies in the state directory", () => {
    expect(socketOf(homeAt("/all/state"))).toBe("/all/state/pommeld.sock");
  });

  it("lies in a short directory of this user's own where that path would be too long", () => {
    const longest = homeAt(`/${"x".repeat(103 - "//pommeld.sock".length)}`);
    expect(socketOf(longest)).toBe(join(longest.stateDir, "pommeld.sock"));
    expect(socketOf(longest)).toHaveLength(103);
    const tooLong = homeAt(`${longest.stateDir}x`);
    const socket = socketOf(tooLong);
    expect(socket).toMatch(new RegExp(`^/tmp/pommel-${process.getuid?.()}/[0-9a-f]{16}\\.sock$`));
    expect(socketOf(tooLong)).toBe(socket);
    expect(socketOf(homeAt(`${longest.stateDir}y`))).not.toBe(socket);
  });

  it("is measured in bytes", () => {
    expect(socketOf(homeAt(`/${"ä".repeat(50)}`))).toMatch(/^\/tmp\//);
  });
});

describe.skipIf(isWindows)("a socket is ours", () => {
  let dir: string;
  let socket: string;
  let server: Server;
  beforeEach(async () => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-socket-")));
    socket = join(dir, "s.sock");
    server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("if it lies in a directory that only we can enter", () => {
    expect(isOwnSocket(socket)).toBe(true);
    for (const mode of [0o755, 0o770, 0o701, 0o1777]) {
      chmodSync(dir, mode);
      expect(isOwnSocket(socket)).toBe(false);
    }
    chmodSync(dir, 0o700);
    expect(isOwnSocket(socket)).toBe(true);
  });

  it("not if it is missing, or no socket", () => {
    expect(isOwnSocket(join(dir, "none.sock"))).toBe(false);
    expect(isOwnSocket(join(dir, "none/s.sock"))).toBe(false);
    writeFileSync(join(dir, "file.sock"), "");
    mkdirSync(join(dir, "dir.sock"));
    expect(["file.sock", "dir.sock"].map((name) => isOwnSocket(join(dir, name)))).toEqual([false, false]);
  });

  it("not through a link, to it or to its directory", () => {
    symlinkSync(socket, join(dir, "link.sock"));
    expect(isOwnSocket(join(dir, "link.sock"))).toBe(false);
    const elsewhere = join(dir, "elsewhere");
    symlinkSync(dir, elsewhere);
    expect(isOwnSocket(join(elsewhere, "s.sock"))).toBe(false);
  });

  it("not if it is another user's", () => {
    vi.spyOn(process, "getuid").mockReturnValue(process.getuid!() + 1);
    expect(isOwnSocket(socket)).toBe(false);
  });
});
