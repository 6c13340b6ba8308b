import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { locateHome } from "../../base/home.ts";
import { decryptHome, encryptHome } from "../encryption/convert.ts";
import { listPlainFiles } from "../encryption/home-files.ts";
import { forgetKeys } from "../encryption/keys.ts";
import {
  findKeptFile,
  isKeptApart,
  keepFile,
  listKept,
  locateVault,
  removeFromVault,
  withKept,
} from "./vault.ts";

/** As between two file systems. */
const noLink = () => {
  throw Object.assign(new Error("EXDEV: cross-device link not permitted"), { code: "EXDEV" });
};

let home: ReturnType<typeof temporaryHome>;
let path: string;
beforeEach(() => {
  home = temporaryHome();
  path = join(home.dir, "agent", "projects", "-x", "one.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "first\n");
});
afterEach(() => {
  forgetKeys();
  home.remove();
});

const read = (file = path, parts: string[] = []) =>
  withKept(file, parts, (kept) => readFileSync(kept, "utf8"));
const listed = (of = dirname(path)) => [...listKept(of)].map((kept) => kept.path);

/** What lies in the vault, whatever it is called there. */
const stored = () =>
  existsSync(locateVault())
    ? readdirSync(locateVault(), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

describe("a file in the vault", () => {
  it("is a link that grows with the file, and is there when the file is gone", async () => {
    keepFile(path);
    appendFileSync(path, "second\n");
    expect(findKeptFile(path)).toMatchObject({ path, size: 13, mtimeMs: statSync(path).mtimeMs });
    expect(isKeptApart(path)).toBe(false);
    expect(statSync(stored()[0]!).ino).toBe(statSync(path).ino);
    rmSync(path);
    expect(await read()).toBe("first\nsecond\n");
    expect(listed()).toEqual([path]);
    expect(listed(home.dir)).toEqual([path]);
    expect(listed(path)).toEqual([path]);
    expect(listed(join(home.dir, "elsewhere"))).toEqual([]);
  });

  it("is a copy where no link can be made, and is copied anew when the file has grown", async () => {
    keepFile(path, noLink);
    expect(isKeptApart(path)).toBe(true);
    appendFileSync(path, "second\n");
    keepFile(path, noLink);
    const { mtimeMs } = statSync(path);
    rmSync(path);
    expect(await read()).toBe("first\nsecond\n");
    expect(findKeptFile(path)!.mtimeMs).toBeCloseTo(mtimeMs, -1);
    expect(stored()).toHaveLength(1);
  });

  it("stays as it was when another file takes its place, also a longer one", async () => {
    keepFile(path);
    rmSync(path);
    for (const other of ["x\n", "another, and a longer one\n"]) {
      writeFileSync(path, other);
      keepFile(path);
      expect(isKeptApart(path)).toBe(true);
      expect(await read()).toBe("first\n");
    }
  });

  it("is what a link points to", async () => {
    const link = join(dirname(path), "link.jsonl");
    symlinkSync(path, link);
    keepFile(link);
    rmSync(path);
    expect(await read(link)).toBe("first\n");
  });

  it("is let go with the directories that are empty then", () => {
    const other = join(home.dir, "agent", "other.jsonl");
    writeFileSync(other, "");
    keepFile(path);
    keepFile(other);
    removeFromVault([path, join(home.dir, "never-there")]);
    expect(listed(home.dir)).toEqual([other]);
    expect(findKeptFile(path)).toBeNull();
    removeFromVault([other]);
    expect(readdirSync(locateVault())).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });
});

describe("in an encrypted home", () => {
  const encrypt = () => encryptHome(`file:${join(home.dir, "our.key")}`, { backups: [] });
  const plain = () => stored().filter((file) => readFileSync(file).includes("first"));

  it("it is a sealed copy, with what is read beside it, and plain only while it is read", async () => {
    encrypt();
    const part = join(dirname(path), "one.meta.json");
    writeFileSync(part, "first of all");
    for (const file of [path, part]) keepFile(file);
    expect(stored()).toHaveLength(2);
    expect(plain()).toEqual([]);
    for (const file of [path, part]) rmSync(file);
    expect(findKeptFile(path)).toMatchObject({ path, size: 6 });
    expect(listed()).toEqual([part, path].toSorted());
    let opened = "";
    await withKept(path, [part], (file) => {
      opened = file;
      expect(readFileSync(file, "utf8")).toBe("first\n");
      expect(readFileSync(join(dirname(file), "one.meta.json"), "utf8")).toBe("first of all");
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    });
    expect(existsSync(dirname(opened))).toBe(false);
    expect(readdirSync(locateHome().stateDir).filter((name) => name.includes("opened"))).toEqual([]);
  });

  it("it is sealed and opened with the home", async () => {
    keepFile(path);
    utimesSync(path, 1000, 1000);
    encrypt();
    expect(plain()).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe("first\n");
    expect(findKeptFile(path)!.mtimeMs).toBe(1_000_000);
    rmSync(path);
    expect(await read()).toBe("first\n");
    decryptHome({ backups: [] });
    expect(plain()).toHaveLength(1);
    expect(findKeptFile(path)).toEqual({ path, size: 6, mtimeMs: 1_000_000 });
    expect(await read()).toBe("first\n");
    encrypt();
    expect(listPlainFiles({ backups: [] })).toEqual([]);
  });
});
