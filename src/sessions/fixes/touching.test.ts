import { describe, expect, it } from "vitest";
import { extractConcern, isTouching } from "./touching.ts";

describe("an edit touches an error", () => {
  it.each([
    ["src/a.ts(3,7): error TS2304: Cannot find name 'openStore'.", "src/a.ts", "+x"],
    ["    store_test.go:31: got 3, want 4", "internal/store.go", "+return 4"],
    ["a.go:3:1: undefined: openStore", "lib/b.go", "+func openStore() {}"],
    ["FAIL\texample.com/app/internal/store\t0.1s", "internal/store/read.go", "+x"],
    ["KeyError: 'user_name'", "app/models.py", "-row['user_name']"],
    ["internal/pkg/a.go:3:2: missing return", "internal/pkg/b.go", "+return nil"],
  ])("%j: %s", (error, path, changed) => {
    expect(isTouching(extractConcern(error), path, changed)).toBe(true);
  });

  it.each([
    ["src/a.ts(3,7): error TS2304: Cannot find name 'openStore'.", "docs/notes.md", "+Some words."],
    ["a.go:3:1: undefined: openStore", "lib/b.go", "+func openStoreReadonly() {}"],
    ["Error: listen EADDRINUSE: address already in use", "README.md", "+address"],
    ["error: could not compile `notes-desktop` (bin)", "src/state.ts", "+desktop"],
    ["Cannot find name 'openStore'", "CHANGELOG.md", "+openStore"],
  ])("not %j: %s", (error, path, changed) => {
    expect(isTouching(extractConcern(error), path, changed)).toBe(false);
  });
});
