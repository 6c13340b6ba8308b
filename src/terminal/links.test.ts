import { hostname } from "node:os";
import { expect, it } from "vitest";
import { toFileUrl } from "./links.ts";

it("names the machine of a file, and nothing that ends a link", () => {
  expect(toFileUrl("/tmp/a b.ts")).toBe(`file://${hostname().toLowerCase()}/tmp/a%20b.ts`);
  expect(toFileUrl("/tmp/\u001b]8;;\u0007")).not.toMatch(/[\u0000-\u001f]/);
});
