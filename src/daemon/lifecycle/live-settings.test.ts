import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { LiveSettings } from "./live-settings.ts";

let project: Project;
let config: Config;
let settings: LiveSettings;
const onApplied = vi.fn();
const onRestartNeeded = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  onApplied.mockClear();
  onRestartNeeded.mockClear();
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-live-")));
  configure("");
  ({ config } = loadConfig(project));
  settings = follow();
});
afterEach(() => {
  settings.close();
  vi.useRealTimers();
  rmSync(project.root, { recursive: true, force: true });
});

const follow = () =>
  new LiveSettings({
    files: [project.configFile],
    load: () => loadConfig(project),
    config,
    log: silentLog,
    onApplied,
    onRestartNeeded,
  });

function configure(toml: string): void {
  writeFileSync(project.configFile, toml);
}

it("applies what needs no restart, and leaves the rest as it was", () => {
  configure('[search]\nlimit = 3\n[index]\nexclude = ["dist/**"]\n');
  expect(settings.reload()).toEqual({ applied: ["search.limit"], need_restart: ["index.exclude"] });
  expect(config["search.limit"]).toBe(3);
  expect(config["index.exclude"]).toEqual([]);
  expect(onApplied).toHaveBeenCalledExactlyOnceWith(["search.limit"]);
  expect(onRestartNeeded).not.toHaveBeenCalled();
  expect(settings.reload()).toEqual({ applied: [], need_restart: ["index.exclude"] });
  expect(onApplied).toHaveBeenCalledTimes(1);
});

it("sees that a file was edited", () => {
  vi.advanceTimersByTime(5000);
  configure("[search]\nlimit = 3\n");
  vi.advanceTimersByTime(5000);
  expect(config["search.limit"]).toBe(3);
  expect(onRestartNeeded).not.toHaveBeenCalled();
  configure("[search]\nlimit = 3\n[index]\nmax_file_size = 80\n");
  vi.advanceTimersByTime(5000);
  expect(onRestartNeeded).toHaveBeenCalledExactlyOnceWith(["index.max_file_size"]);
});

it("lets pm config be the first to restart the daemon", () => {
  vi.advanceTimersByTime(5000);
  configure("[index]\nmax_file_size = 80\n");
  vi.advanceTimersByTime(1900);
  expect(onRestartNeeded).not.toHaveBeenCalled();
  configure("");
  vi.advanceTimersByTime(5000);
  expect(onRestartNeeded).not.toHaveBeenCalled();
});

it("keeps what it has while a file makes no sense", () => {
  configure("[search]\nlimit = 0\n");
  vi.advanceTimersByTime(5000);
  expect(settings.problem).toContain("invalid value for search.limit");
  expect(config["search.limit"]).toBe(10);
  configure("[search]\nlimit = 7\n");
  vi.advanceTimersByTime(5000);
  expect(settings.problem).toBeNull();
  expect(config["search.limit"]).toBe(7);
});

it("takes over what changed while the daemon started", () => {
  settings.close();
  configure("[search]\nlimit = 4\n");
  settings = follow();
  vi.advanceTimersByTime(5000);
  expect(config["search.limit"]).toBe(4);
});
