import { type Document, line, place, table } from "../../answers/document.ts";
import type { PackagesAnswer } from "./operation.ts";

/** The packages of a repository; a star marks the one that the reader is in. */
export function wordPackages({ packages, current }: PackagesAnswer): Document {
  if (packages.length === 0)
    return [[line("No packages: no manifest of npm, Cargo, Go, Maven, Gradle or Python is indexed here.")]];
  return [
    [
      table(
        [
          { title: "package", wraps: true },
          { title: "directory", wraps: true },
          { title: "kind" },
          { title: "files", isNumber: true },
        ],
        packages.map(({ name, dir, kind, files }) => [
          [place(name), name === current && " *"],
          { text: dir },
          kind,
          files.toLocaleString("en"),
        ]),
      ),
    ],
  ];
}
