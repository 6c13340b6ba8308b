import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Memory } from "../../store/memory/memory.ts";
import { changeWhenFree } from "./change-when-free.ts";

test("a change waits for another writer, and the thread goes on meanwhile", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-free-"));
  const open = () => Memory.open(join(dir, "memory.db"), { readonly: false });
  const [memory, other] = [open(), open()];
  try {
    await changeWhenFree(memory, () => memory.setMeta("free", "yes"));
    expect(other.readMeta("free")).toBe("yes");

    other.exec("BEGIN IMMEDIATE");
    let isDone = false;
    const changed = changeWhenFree(memory, () => memory.setMeta("later", "yes")).then(() => {
      isDone = true;
    });
    await nextTurn();
    expect(isDone).toBe(false);
    // Who stood still would wait for this for ever.
    other.exec("COMMIT");
    await changed;
    expect(other.readMeta("later")).toBe("yes");

    await expect(
      changeWhenFree(memory, () => {
        throw new Error("not about locks");
      }),
    ).rejects.toThrow("not about locks");
    expect(memory.readValue("PRAGMA busy_timeout")).toBeGreaterThan(1000);
  } finally {
    memory.close();
    other.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
