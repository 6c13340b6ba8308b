import { posix } from "node:path";
import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";

/** Whether an edit is about an error: by the file that it names, or by a name that stands in both. */

/** A file as errors name it: with an extension, and perhaps a directory. */
const fileNamed = /(?:[\w@.-]+[/\\])*[\w@-][\w@.-]*\.[A-Za-z]{1,8}(?=$|[:\s(),"'`\]])/g;
/** What is quoted, and names that are written like ones. */
const quoted = /(["'`“])([^"'`”\n]{2,80})["'`”]/g;
const identifier = /\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+|[\w.]+\.[A-Z]\w+)\b/g;
/** Names after what compilers say of them. */
const named =
  /(?:undefined|undeclared|not used|redeclared|imported and not used|cannot find \w+|unresolved reference|not found: \w+|has no (?:field or method|member|attribute)|missing return)[:\s]+([\w.]+)/gi;
/** Package directories of Go, and of others that name where a test failed. */
const directoryNamed = /(?:^|\s)(?:FAIL\s+)?((?:[\w.-]+\/){2,}[\w.-]+)(?=\s|$)/gm;
const minName = 3;

export interface Concern {
  files: Set<string>;
  directories: Set<string>;
  names: Set<string>;
}

/** What the lines of an error are about. */
export function extractConcern(lines: string): Concern {
  const files = new Set(Array.from(lines.matchAll(fileNamed), ([file]) => file.replaceAll("\\", "/")));
  const names = new Set<string>();
  for (const [, , text = ""] of lines.matchAll(quoted)) for (const word of listNames(text)) names.add(word);
  for (const [name] of lines.matchAll(identifier)) names.add(name.split(".").at(-1)!);
  for (const [, name = ""] of lines.matchAll(named)) names.add(name.split(".").at(-1)!);
  const directories = new Set(Array.from(lines.matchAll(directoryNamed), ([, path = ""]) => path));
  return { files, directories, names: new Set([...names].filter((name) => name.length >= minName)) };
}

/** What is quoted is a name, or has names that are written like ones: the words of a sentence or a package's parts are none. */
const listNames = (text: string): string[] =>
  /^[A-Za-z_$][\w$]*$/.test(text) ? [text] : (text.match(/[A-Za-z_]\w{2,}/g) ?? []).filter(isName);
const isName = (word: string) => /[a-z][A-Z]|_|\d|^[A-Z][a-z]+$/.test(word);

/** Text for people, which no program fails for unless it names the file. */
export const isProse = (path: string): boolean =>
  /\.(?:mdx?|txt|rst|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG)$/i.test(path);

/** `store_test.go` and `store.go`, `store.test.ts` and `store.ts` are about the same. */
const toStem = (path: string) =>
  posix
    .basename(path)
    .replace(/\.[^.]+$/, "")
    .replace(/(?:[._-](?:test|spec|it)|Tests?|Spec)$/, "")
    .replace(/^test_/, "");

/** @param changed the lines that were added and removed */
export function isTouching({ files, directories, names }: Concern, path: string, changed: string): boolean {
  for (const file of files) {
    if (path === file || path.endsWith(`/${file.replace(/^\.\//, "")}`) || file.endsWith(`/${path}`))
      return true;
    if (isProse(path)) continue;
    if (toStem(file) === toStem(path)) return true;
    // A package of Go is compiled as a whole.
    if (
      posix.extname(file) === ".go" &&
      posix.extname(path) === ".go" &&
      file.includes("/") &&
      posix.dirname(path).endsWith(posix.dirname(file))
    )
      return true;
  }
  if (isProse(path)) return false;
  const dir = posix.dirname(path);
  for (const directory of directories) if (dir !== "." && directory.endsWith(dir)) return true;
  for (const name of names) if (new RegExp(`\\b${escapeRegExp(name)}\\b`).test(changed)) return true;
  return false;
}
