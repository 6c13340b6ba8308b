import { expect, it, vi } from "vitest";
import { projectAt } from "../project/paths.ts";
import { askToRead } from "./ask-to-read.ts";
import { askDaemon, DaemonUnreachable } from "./daemon-client.ts";

vi.mock("./daemon-client.ts", async (original) => ({
  ...(await original<typeof import("./daemon-client.ts")>()),
  askDaemon: vi.fn(),
}));

it("is patient with a daemon that hangs once, and again when it answers", async () => {
  const asked = vi.mocked(askDaemon);
  const ask = () => askToRead(projectAt("/hung"), "status", {}).catch(() => null);
  asked.mockRejectedValueOnce(new DaemonUnreachable("stale", "It was killed."));
  asked.mockRejectedValueOnce(new DaemonUnreachable("timeout", "It hangs."));
  for (let times = 0; times < 4; times++) await ask();
  expect(asked.mock.calls.map(([, , , patience]) => patience)).toEqual([10_000, 10_000, 500, 10_000]);
});
