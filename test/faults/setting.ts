import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { forgetKeys } from "../../src/store/encryption/keys.ts";
import { Registry } from "../../src/store/registry.ts";
import { nameProject } from "../support/named-project.ts";
import { transcript } from "../support/transcript-fixture.ts";
import type { Row } from "./table.ts";

/** What is asked for, where it is tried, and what came of it. */

export const { values: options } = parseArgs({
  options: {
    points: { type: "string", default: "10" },
    only: { type: "string" },
    work: {
      type: "string",
      default: "index,import,backup,recut,migration,encryption,sync,restore,repair,forget",
    },
    big: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});
export const points = Number(options.points);
/** What is killed or loses its power. */
export const works: ReadonlySet<string> = new Set(options.work.split(","));
/** Everything is in here, and removed at the end. */
export const work = realpathSync(mkdtempSync(join(tmpdir(), "pommel-faults-")));
const env = {
  HOME: join(work, "home"),
  GIT_CONFIG_GLOBAL: join(work, "gitconfig"),
  // Of nobody, until a project is entered.
  POMMEL_HOME: join(work, "nobody"),
  POMMEL_DAEMON_AUTOSTART: "false",
};
/** Where agents keep their transcripts. */
export const userHome = env.HOME;
Object.assign(process.env, env);
mkdirSync(userHome);
writeFileSync(
  env.GIT_CONFIG_GLOBAL,
  "[user]\nname = Fault\nemail = fault@example.com\n[init]\ndefaultBranch = main\n",
);

/** A directory of `work` is a machine: Pommel's home is in it, beside the projects, and copied with them. */
export const homeAround = (root: string): string => join(work, relative(work, root).split(sep)[0]!, "home");

/** What programs run with in a project. */
export const envOf = (root: string): NodeJS.ProcessEnv => ({ ...process.env, POMMEL_HOME: homeAround(root) });

/** Has this process use the same home as those in the project. */
export function enter(root: string): Project {
  leave();
  process.env.POMMEL_HOME = homeAround(root);
  return makeNewProject(root);
}

/** Before a machine is replaced: nothing of it may stay open or known. */
function leave(): void {
  Registry.close();
  forgetKeys();
}

/** Puts a machine, or what one was earlier, in the place of another; null: nothing. Its paths are stored: it has to be there. */
export function putInPlace(from: string | null, place: string): void {
  leave();
  rmSync(join(work, place), { recursive: true, force: true });
  if (from !== null)
    cpSync(join(work, from), join(work, place), { recursive: true, preserveTimestamps: true });
}

export const rows: Row[] = [];
export let failed = false;

/** A row of the table; the run fails where what is good is not all that was tried. */
export function report(what: string, tried: number | string, good: number | string, note = ""): void {
  const isGood = tried === good || typeof good === "string";
  failed ||= !isGood;
  rows.push([what, String(tried), `${good}${note === "" ? "" : `; ${note}`}`]);
  console.error(`${isGood ? "ok  " : "FAIL"} ${what}: ${good} of ${tried} ${note}`);
}

/** A machine with a project with sources, and transcripts beside it: sessions by number, each with some turns. */
export function base(name: string, { first = 0, end = 30, turns = 12, files = 200 } = {}): Project {
  const root = join(work, name, "repo");
  mkdirSync(join(root, "src"), { recursive: true });
  const project = nameProject(enter(root));
  for (let i = 0; i < files; i++) {
    const text = `/** Number ${i}. */\nexport function compute${i}(input: number) {\n  return input * ${i};\n}\n`;
    writeFileSync(join(root, `src/m${i}.ts`), text.repeat(5));
  }
  mkdirSync(join(root, "../transcripts"));
  for (let n = first; n < end; n++) {
    const session = `${String(n).padStart(8, "0")}-1111-4111-8111-111111111111`;
    const made = transcript({ session, cwd: root });
    for (let t = 0; t < turns; t++) {
      made.prompt(`Why is number ${n * t} wrong in src/m${t}.ts?`);
      made.bash(`npm test ${t}`, `FAIL ${n} `.repeat(100));
      made.edit(join(root, `src/m${t}.ts`), `const a = ${n};`, `const a = ${t};`);
      made.reply(`Because ${n} is not ${t}. ${"The timeout was too short. ".repeat(20)}`);
    }
    writeFileSync(join(root, `../transcripts/${session}.jsonl`), made.text());
  }
  return project;
}
