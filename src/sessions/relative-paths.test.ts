import { describe, expect, test } from "vitest";
import { createRelativizer } from "./relative-paths.ts";

describe("a session of this project", () => {
  const relative = createRelativizer({
    root: "/home/me/shop",
    worktrees: ["/home/me/shop/.worktrees/one", "/tmp/shop-two/"],
    cwd: "/home/me/shop/packages/a",
  });
  test.each([
    ["/home/me/shop/src/x.ts", "src/x.ts"],
    ["/home/me/shop/.worktrees/one/src/x.ts", "src/x.ts"],
    ["/home/me/shop/.worktrees/gone/src/x.ts", "src/x.ts"],
    ["/home/me/shop/.claude/worktrees/gone/src/x.ts", "src/x.ts"],
    ["/tmp/shop-two/src/../lib/y.ts", "lib/y.ts"],
    ["src/x.ts", "packages/a/src/x.ts"],
    ["./../b/z.ts", "packages/b/z.ts"],
    ["../../../other/z.ts", "../../../other/z.ts"],
    ["/home/me/shopping/x.ts", "/home/me/shopping/x.ts"],
    ["/etc/hosts", "/etc/hosts"],
    ["/home/me/shop", "/home/me/shop"],
    ["/home/me/shop/a\\b.ts", "a\\b.ts"],
  ])("%s is %s", (path, stored) => {
    expect(relative(path)).toBe(stored);
  });
});

test("a session that was recorded elsewhere: relative to where it was launched", () => {
  const relative = createRelativizer({ root: "/home/me/shop", worktrees: [], cwd: "/Users/x/code/shop" });
  expect(relative("/Users/x/code/shop/src/x.ts")).toBe("src/x.ts");
  expect(relative("src/x.ts")).toBe("src/x.ts");
  expect(relative("/Users/x/.zshrc")).toBe("/Users/x/.zshrc");
  expect(relative("/home/me/shop/src/x.ts")).toBe("src/x.ts");
});

test("launched in a worktree elsewhere: the main worktree is known, too", () => {
  const relative = createRelativizer({
    root: "/home/me/shop",
    worktrees: [],
    cwd: "/Users/x/shop/.worktrees/1",
  });
  expect(relative("/Users/x/shop/.worktrees/1/src/x.ts")).toBe("src/x.ts");
  expect(relative("/Users/x/shop/src/x.ts")).toBe("src/x.ts");
  expect(relative("/Users/x/shop/.worktrees/2/src/x.ts")).toBe("src/x.ts");
});

test("paths of Windows", () => {
  const relative = createRelativizer({
    root: "C:\\Users\\x\\shop",
    worktrees: [],
    cwd: "c:\\Users\\x\\shop",
  });
  expect(relative("C:\\Users\\x\\shop\\src\\x.ts")).toBe("src/x.ts");
  expect(relative("c:/users/X/shop/src/x.ts")).toBe("src/x.ts");
  expect(relative("D:\\other\\x.ts")).toBe("D:\\other\\x.ts");
});

test("without a launch directory relative paths stay", () => {
  expect(createRelativizer({ root: "/home/me/shop", worktrees: [], cwd: "" })("src/x.ts")).toBe("src/x.ts");
});
