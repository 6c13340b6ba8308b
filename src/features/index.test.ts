import { expect, it } from "vitest";
import { placeParameter } from "../protocol/channel.ts";
import { readRequestFields } from "../protocol/request-fields.ts";
import { operations, publicOperations } from "./index.ts";

it("records each operation that hands out what is stored of a project, and no other", () => {
  const unrecorded = [...operations.values()].filter(
    ({ of, audited }) => of !== "machine" && of !== "daemon" && !audited,
  );
  expect(unrecorded.map(({ name }) => name).sort()).toEqual([
    "annotate",
    "changeRule",
    "changeSetting",
    "doctor",
    "editNote",
    "forget",
    "index",
    "indexTranscript",
    "page",
    "putAside",
    "queue",
    "retry",
    "scrub",
    "sessionStart",
    "state",
    "status",
    "statusline",
  ]);
});

it("says what each field of a request is for", () => {
  const undescribed = publicOperations.flatMap(({ name, request }) =>
    Object.entries(readRequestFields(request())).flatMap(([field, { about }]) =>
      about === "" ? `${name}.${field}` : [],
    ),
  );
  expect(undescribed).toEqual([]);
});

it("leaves the parameter of a URL that names the project to all operations", () => {
  const taken = publicOperations.filter(({ request }) => placeParameter in readRequestFields(request()));
  expect(taken.map(({ name }) => name)).toEqual([]);
});
