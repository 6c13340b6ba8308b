import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { count, field, lazy, place, type Shaped, text, textOrNull } from "../../protocol/shape-parts.ts";

export const packagesRequest = lazy(() =>
  z.object({ near: field("marks the package that contains this path", place) }),
);

export type PackagesRequest = Shaped<typeof packagesRequest>;

export const packagesAnswer = lazy(() =>
  z.object({
    /** In the order of their directories. */
    packages: z.array(
      z.object({
        name: text,
        /** Its directory from the project's root; "." for the root itself. */
        dir: text,
        /** Whose manifest or list names it: npm, cargo, go, maven, python, gradle. */
        kind: text,
        /** Indexed files that lie in it and in no package inside it. */
        files: count,
      }),
    ),
    /** The name of the package that `near` lies in; null: none, or not asked. */
    current: textOrNull,
  }),
);

export type PackagesAnswer = Shaped<typeof packagesAnswer>;

export const listPackages = defineOperation({
  name: "packages",
  path: "GET /packages",
  summary: "List the packages of a repository that has several",
  of: "code",
  request: packagesRequest,
  response: packagesAnswer,
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./packages.ts")).listPackages(project, request),
});
