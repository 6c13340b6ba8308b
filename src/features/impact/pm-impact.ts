import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { locate, parsePlace } from "../../answers/file-place.ts";
import type { RequestOf } from "../../answers/operation.ts";
import { showOperation } from "../../terminal/show-operation.ts";
import { findImpact } from "./operation.ts";
import { wordImpact } from "./words.ts";

/** `pm code impact` */
export const impactCommand = showOperation(
  findImpact,
  wordImpact,
  ({ project, cwd }, words: string[], options: RequestOf<typeof findImpact>) => {
    const isFile = (name: string) => existsSync(resolve(cwd, name));
    const of = words.map((word) => {
      const { file, lines } = parsePlace(word, isFile);
      if (!isFile(file)) return word;
      return `${locate(project, cwd, file)}${lines === null ? "" : `:${lines.first}-${lines.last}`}`;
    });
    return { ...options, of };
  },
);
