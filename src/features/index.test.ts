import { expect, it } from "vitest";
import { operations } from "./index.ts";

it("records each operation that hands out what is stored of a project, and no other", () => {
  const unrecorded = [...operations.values()].filter(
    ({ of, audited }) => of !== "machine" && of !== "daemon" && !audited,
  );
  expect(unrecorded.map(({ name }) => name).sort()).toEqual([
    "annotate",
    "changeSetting",
    "doctor",
    "editNote",
    "forget",
    "index",
    "indexTranscript",
    "page",
    "queue",
    "retry",
    "scrub",
    "sessionStart",
    "state",
    "status",
    "statusline",
  ]);
});
