import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { computeCosine } from "../quantise.ts";
import { createStaticEmbedder } from "./static-embedder.ts";

/** The model that is shipped, as opposed to the small ones that other tests make. */
const dir = fileURLToPath(new URL("../../../../models/static", import.meta.url));

it("matches its checksums", async () => {
  await expect(createStaticEmbedder().prepare()).resolves.toBeUndefined();
});

it("takes no more than 10 MB", () => {
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(`${dir}/${name}`).size, 0);
  expect(bytes).toBeGreaterThan(1e6);
  expect(bytes).toBeLessThanOrEqual(10e6);
});

it.each([
  ["retry a failed request", "sleep longer after each attempt", "draw the border of a window"],
  ["parse command line arguments", "func readFlags(argv []string) (*Options, error)", "SHA-256 of the file"],
  [
    "delete a user account",
    "def remove_member(self, person):",
    "for (let x = 0; x < width; x++) pixels[x] = 0;",
  ],
])("finds %j nearer to %j than to %j", async (question, related, unrelated) => {
  const [a, b, c] = await createStaticEmbedder().embed([question, related, unrelated], "passage");
  expect(computeCosine(a!, b!)).toBeGreaterThan(computeCosine(a!, c!));
});
