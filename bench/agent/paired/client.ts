import { spawn } from "node:child_process";

/** How the client is run, in both arms alike. */
export interface ClientOptions {
  claude: string;
  /** The client's own default where it is null. */
  model: string | null;
  permissionMode: string;
  allowedTools: string;
  disallowedTools: string;
  settingSources: string;
  /** Dollars a run; null: no limit. */
  maxUsd: number | null;
  timeoutMs: number;
}

export interface Finished {
  stdout: string;
  stderr: string;
  code: number | null;
  isTimedOut: boolean;
  seconds: number;
}

/**
 * Has the client do one task to its end, without a terminal. It reads settings of the sources named only, and starts
 * MCP servers of `servers` only.
 * @param servers a file with `mcpServers`; null: none
 */
export function runClient(
  prompt: string,
  options: ClientOptions,
  at: { cwd: string; env: Readonly<Record<string, string>>; servers: string | null; signal: AbortSignal },
): Promise<Finished> {
  const args = [
    ...["-p", prompt, "--output-format", "stream-json", "--verbose"],
    ...["--permission-mode", options.permissionMode, "--allowedTools", options.allowedTools],
    ...["--disallowedTools", options.disallowedTools, "--setting-sources", options.settingSources],
    ...["--strict-mcp-config", ...(at.servers === null ? [] : ["--mcp-config", at.servers])],
    ...(options.model === null ? [] : ["--model", options.model]),
    ...(options.maxUsd === null ? [] : ["--max-budget-usd", String(options.maxUsd)]),
  ];
  return new Promise((resolve, reject) => {
    const start = performance.now();
    // A group of its own, so that nothing that it started outlives it.
    const child = spawn(options.claude, args, {
      ...{ cwd: at.cwd, env: at.env, detached: true, stdio: ["ignore", "pipe", "pipe"] },
    });
    const endGroup = () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // Nobody is left.
      }
    };
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      endGroup();
    }, options.timeoutMs);
    at.signal.addEventListener("abort", endGroup);
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    }
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      at.signal.removeEventListener("abort", endGroup);
      endGroup();
      resolve({ ...said, code, isTimedOut, seconds: (performance.now() - start) / 1000 });
    });
  });
}
