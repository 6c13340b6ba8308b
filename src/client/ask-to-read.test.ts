import { expect, it } from "vitest";
import { projectAt } from "../project/paths.ts";
import { askToRead } from "./ask-to-read.ts";
import { type askDaemon, DaemonUnreachable } from "./daemon-client.ts";

it("is patient with a daemon that hangs once, and again when it answers", async () => {
  const answers = [
    new DaemonUnreachable("stale", "It was killed."),
    new DaemonUnreachable("timeout", "It hangs."),
    null,
    null,
  ];
  const patience: (number | undefined)[] = [];
  const ask = (async (_project, _route, _request, limit) => {
    patience.push(limit);
    const answer = answers[patience.length - 1];
    if (answer) throw answer;
    return answer;
  }) as typeof askDaemon;
  for (const _ of answers) await askToRead(projectAt("/hung"), "status", {}, ask).catch(() => null);
  expect(patience).toEqual([10_000, 10_000, 500, 10_000]);
});
