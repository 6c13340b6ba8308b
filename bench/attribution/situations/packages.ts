import { newIdentifier } from "../code.ts";
import { type Line, newLines, type Owner } from "../lines.ts";
import type { Random } from "../random.ts";

/** Package managers, which write a manifest and a lock file. */

interface Manager {
  command(name: string, version: string): string;
  manifest: string;
  lock: string;
  /** Lines of the manifest and of the lock file. */
  lines(name: string, version: string, hash: string): [manifest: string[], lock: string[]];
}

const json = (name: string, version: string, hash: string): [string[], string[]] => [
  [`    "${name}": "^${version}",`],
  [
    `    "node_modules/${name}": {`,
    `      "version": "${version}",`,
    `      "integrity": "sha512-${hash}",`,
    `      "license": "MIT",`,
    "    },",
  ],
];
const toml = (name: string, version: string, hash: string): [string[], string[]] => [
  [`${name} = "${version}"`],
  ["[[package]]", `name = "${name}"`, `version = "${version}"`, `checksum = "${hash}"`, ""],
];

const managers: readonly Manager[] = [
  {
    command: (name) => `npm install ${name}`,
    manifest: "package.json",
    lock: "package-lock.json",
    lines: json,
  },
  { command: (name) => `npm i -D ${name}`, manifest: "package.json", lock: "package-lock.json", lines: json },
  {
    command: (name) => `pnpm add ${name}`,
    manifest: "package.json",
    lock: "pnpm-lock.yaml",
    lines: (name, version, hash) => [
      [`    "${name}": "^${version}",`],
      [`  ${name}@${version}:`, `    resolution: {integrity: sha512-${hash}}`, ""],
    ],
  },
  {
    command: (name, version) => `yarn add ${name}@${version}`,
    manifest: "package.json",
    lock: "yarn.lock",
    lines: (name, version, hash) => [
      [`    "${name}": "^${version}",`],
      [`${name}@^${version}:`, `  version "${version}"`, `  integrity sha512-${hash}`, ""],
    ],
  },
  { command: (name) => `cargo add ${name}`, manifest: "Cargo.toml", lock: "Cargo.lock", lines: toml },
  { command: (name) => `uv add ${name}`, manifest: "pyproject.toml", lock: "uv.lock", lines: toml },
  { command: (name) => `poetry add ${name}`, manifest: "pyproject.toml", lock: "poetry.lock", lines: toml },
  {
    command: (name, version) => `go get example.com/pkg/${name}@v${version}`,
    manifest: "go.mod",
    lock: "go.sum",
    lines: (name, version, hash) => [
      [`\texample.com/pkg/${name} v${version}`],
      [
        `example.com/pkg/${name} v${version} h1:${hash}=`,
        `example.com/pkg/${name} v${version}/go.mod h1:${hash}Q=`,
      ],
    ],
  },
];

export interface Install {
  command: string;
  files(files: ReadonlyMap<string, readonly Line[]>, owner: Owner, via: string): [string, readonly Line[]][];
}

export function installs(random: Random): Install {
  const manager = random.pick(managers);
  const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
  const some = (count: number) => Array.from({ length: count }, () => random.pick(letters)).join("");
  const packages = Array.from({ length: random.int(1, 4) }, () => ({
    name: newIdentifier(random).toLowerCase(),
    version: `${random.int(0, 9)}.${random.int(0, 30)}.${random.int(0, 20)}`,
    hash: some(43),
  }));
  const [first] = packages;
  return {
    command: manager.command(first!.name, first!.version),
    files(files, owner, via) {
      const put = (path: string, texts: readonly string[]): [string, readonly Line[]] => {
        const lines = files.get(path) ?? [];
        return [path, lines.toSpliced(random.int(0, lines.length), 0, ...newLines(texts, owner, via))];
      };
      const all = packages.map(({ name, version, hash }) => manager.lines(name, version, hash));
      return [
        put(manager.manifest, all[0]![0]),
        put(
          manager.lock,
          all.flatMap(([, lock]) => lock),
        ),
      ];
    },
  };
}
