import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../..");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".css"));

/** Besides tokens: nothing, a hairline, and what follows from another size. */
const isFree = (value: string) =>
  /^(?:0|1px|auto|inherit|var\(--[\w-]+\)|calc\(.*\)|-?[\d.]+(?:em|ch|vh|%))$/.test(value);

test("distances and sizes of type are tokens", () => {
  expect(files.length).toBeGreaterThan(10);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(src, file), "utf8");
    const declarations = text.matchAll(
      /^\s*((?:padding|margin)[\w-]*|(?:row-|column-)?gap|font-size): ([^;]+);/gm,
    );
    return [...declarations].flatMap(([, property, value = ""]) =>
      (value.match(/calc\(.*\)|\S+/g) ?? []).every(isFree)
        ? []
        : [`${relative(src, join(src, file))}: ${property}: ${value}`],
    );
  });
  expect(found).toEqual([]);
});
