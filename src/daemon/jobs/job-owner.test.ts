import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isOwnerAlive, makeJobOwner } from "./job-worker.ts";

test("an owner is alive while its process runs, and a later process with its pid is another owner", async () => {
  const ours = makeJobOwner();
  expect(isOwnerAlive(ours)).toBe(true);
  expect(makeJobOwner()).not.toBe(ours);
  expect(isOwnerAlive("nonsense")).toBe(false);

  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
  await once(child, "spawn");
  const owner = `${child.pid}--0123abcd`;
  expect(isOwnerAlive(owner)).toBe(true);
  // It began at another time.
  if (process.platform === "linux") expect(isOwnerAlive(`${child.pid}-1-0123abcd`)).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isOwnerAlive(owner)).toBe(false);
});
