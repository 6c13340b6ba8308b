import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  describeIgnoredPlaces,
  isOwnSocket,
  listHomeDirectories,
  locateDaemonFiles,
  locateHome,
  locateOwnConfig,
  locateRegistry,
  locateSocket,
  makeDirectory,
} from "./home.ts";

const isWindows = process.platform === "win32";

describe("a person's home", () => {
  it("is where XDG says, below HOME by default", () => {
    expect(locateHome({ HOME: "/home/ann" })).toEqual({
      configDir: "/home/ann/.config/pommel",
      dataDir: "/home/ann/.local/share/pommel",
      cacheDir: "/home/ann/.cache/pommel",
      stateDir: "/home/ann/.local/state/pommel",
    });
    expect(locateHome({ HOME: "/home/ann", XDG_DATA_HOME: "/data", XDG_STATE_HOME: "" })).toMatchObject({
      dataDir: "/data/pommel",
      stateDir: "/home/ann/.local/state/pommel",
    });
    expect(locateHome({}).configDir).toBe(join(homedir(), ".config/pommel"));
  });

  it("lies below POMMEL_HOME as a whole", () => {
    const home = locateHome({ HOME: "/home/ann", XDG_DATA_HOME: "/data", POMMEL_HOME: "/all" });
    expect(Object.values(home)).toEqual(["/all/config", "/all/data", "/all/cache", "/all/state"]);
    expect(locateRegistry(home)).toBe("/all/data/registry.db");
    expect(locateOwnConfig(home)).toBe("/all/config/config.toml");
    for (const file of Object.values(locateDaemonFiles(home))) expect(file).toMatch(/^\/all\/state\//);
  });
});

describe.skipIf(isWindows)("where a home may be", () => {
  it.each(["home", "./home", "../home", ".", "~/pommel"])("a relative POMMEL_HOME is refused: %s", (dir) => {
    expect(() => locateHome({ HOME: "/home/ann", POMMEL_HOME: dir })).toThrow(
      expect.objectContaining({ code: "config_bad_value", message: expect.stringContaining(dir) }),
    );
  });

  it("relative XDG directories do not count, which is said in one line", () => {
    const env = {
      HOME: "/home/ann",
      XDG_CONFIG_HOME: "config",
      XDG_DATA_HOME: "./x",
      XDG_CACHE_HOME: "/cache",
    };
    expect(locateHome(env)).toEqual({ ...locateHome({ HOME: "/home/ann" }), cacheDir: "/cache/pommel" });
    expect(describeIgnoredPlaces(env)).toBe(
      "Ignored, as they are relative paths: XDG_CONFIG_HOME, XDG_DATA_HOME.",
    );
    expect(describeIgnoredPlaces({ HOME: "/home/ann", XDG_DATA_HOME: "/data" })).toBeNull();
    expect(describeIgnoredPlaces({ ...env, POMMEL_HOME: "/all" })).toBeNull();
  });

  it("a relative HOME does not count either", () => {
    expect(locateHome({ HOME: "." }).configDir).toBe(join(userInfo().homedir, ".config/pommel"));
    expect(describeIgnoredPlaces({ HOME: "." })).toBe("Ignored, as it is a relative path: HOME.");
  });
});

describe.skipIf(isWindows)("directories of the home", () => {
  let dir: string;
  const modeOf = (path: string) => statSync(join(dir, path)).mode & 0o777;
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-home-")));
    vi.stubEnv("POMMEL_HOME", "");
    vi.stubEnv("HOME", dir);
    for (const name of ["CONFIG", "DATA", "CACHE", "STATE"]) vi.stubEnv(`XDG_${name}_HOME`, "");
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(dir, { recursive: true, force: true });
  });

  it("are their owner's alone and no repository's; those above them are as the system makes them", () => {
    const before = process.umask(0o022);
    try {
      for (const own of listHomeDirectories()) makeDirectory(join(own, "a/b"));
    } finally {
      process.umask(before);
    }
    for (const own of [".config", ".local/share", ".cache", ".local/state"]) {
      expect([own, modeOf(own), modeOf(`${own}/pommel`), modeOf(`${own}/pommel/a/b`)]).toEqual([
        own,
        0o755,
        0o700,
        0o700,
      ]);
      expect(readFileSync(join(dir, own, "pommel/.gitignore"), "utf8")).toBe("*\n");
    }
    expect(modeOf(".local")).toBe(0o755);
  });

  it("below POMMEL_HOME have one as well, and POMMEL_HOME is its owner's alone", () => {
    vi.stubEnv("POMMEL_HOME", join(dir, "new/home"));
    makeDirectory(join(locateHome().dataDir, "projects"));
    expect(modeOf("new/home")).toBe(0o700);
    expect(readFileSync(join(locateHome().dataDir, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("a .gitignore that somebody removed or wrote is not written again", () => {
    makeDirectory(locateHome().dataDir);
    rmSync(join(locateHome().dataDir, ".gitignore"));
    makeDirectory(join(locateHome().dataDir, "projects"));
    expect(existsSync(join(locateHome().dataDir, ".gitignore"))).toBe(false);
  });

  it("other directories are made as ever, without one", () => {
    makeDirectory(join(dir, "elsewhere/a"));
    expect(readdirSync(join(dir, "elsewhere"))).toEqual(["a"]);
  });

  it.runIf(process.getuid?.() === 0)("root is refused in another's home, whatever of it exists", () => {
    chownSync(dir, 1234, 1234);
    const refused = expect.objectContaining({ code: "forbidden", message: expect.stringContaining("1234") });
    expect(() => locateHome()).toThrow(refused);
    expect(() => locateHome({ POMMEL_HOME: join(dir, "not/there") })).toThrow(refused);
    // One directory is enough.
    expect(() => locateHome({ HOME: "/root", XDG_CACHE_HOME: join(dir, ".cache") })).toThrow(refused);
    expect(locateHome({ HOME: dir, POMMEL_HOME: "/nowhere/yet" }).dataDir).toBe("/nowhere/yet/data");
  });
});

describe.skipIf(isWindows)("the daemon's socket", () => {
  const homeAt = (stateDir: string) => ({ ...locateHome({ POMMEL_HOME: "/all" }), stateDir });

  it("lies in the state directory", () => {
    expect(locateSocket(homeAt("/all/state"))).toBe("/all/state/pommeld.sock");
  });

  it("lies in a short directory of this user's own where that path would be too long", () => {
    const longest = homeAt(`/${"x".repeat(103 - "//pommeld.sock".length)}`);
    expect(locateSocket(longest)).toBe(join(longest.stateDir, "pommeld.sock"));
    expect(locateSocket(longest)).toHaveLength(103);
    const tooLong = homeAt(`${longest.stateDir}x`);
    const socket = locateSocket(tooLong);
    expect(socket).toMatch(new RegExp(`^/tmp/pommel-${process.getuid?.()}/[0-9a-f]{16}\\.sock$`));
    expect(locateSocket(tooLong)).toBe(socket);
    expect(locateSocket(homeAt(`${longest.stateDir}y`))).not.toBe(socket);
  });

  it("is measured in bytes", () => {
    expect(locateSocket(homeAt(`/${"ä".repeat(50)}`))).toMatch(/^\/tmp\//);
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
