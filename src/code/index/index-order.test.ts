import { expect, it } from "vitest";
import type { FileStamp } from "../../store/index/records.ts";
import { sortByUse } from "./index-order.ts";

const stamp = (path: string, size = 1000, mtimeMs = 0): FileStamp => ({ path, size, mtimeMs });

it("files are indexed in the order in which questions hit them", () => {
  const ordered = [
    stamp("src/client.ts"),
    stamp("src/index.ts"),
    stamp("scripts/build.sh", 100),
    stamp("examples/demo.ts"),
    stamp("test/client.test.ts"),
    stamp("README.md"),
    stamp("docs/guide.md"),
    stamp("package.json"),
    stamp("tsconfig.json"),
    stamp("dist/client.js"),
    stamp("package-lock.json"),
    stamp("src/table.ts", 500_000),
  ];
  const kinds = [2, 3, 5, 7, 9, 11, 12];
  const given = ordered.toReversed();
  const paths = sortByUse(given, given, []).map(({ path }) => path);
  let from = 0;
  for (const to of kinds) {
    expect(paths.slice(from, to).sort()).toEqual(
      ordered
        .slice(from, to)
        .map(({ path }) => path)
        .sort(),
    );
    from = to;
  }
});

it("of the same kind those come first that commits touched most and last, then those that were saved last", () => {
  const files = [stamp("src/a.ts", 1, 5), stamp("src/b.ts", 1, 9), stamp("src/c.ts"), stamp("src/d.ts")];
  const paths = sortByUse(files, files, ["src/d.ts", "README.md", "src/c.ts"]).map(({ path }) => path);
  expect(paths).toEqual(["src/d.ts", "src/c.ts", "src/b.ts", "src/a.ts"]);
});
