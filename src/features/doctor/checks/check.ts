import { loadConfig } from "../../../base/config/config.ts";
import { type Config, makeDefaultConfig } from "../../../base/config/settings.ts";
import type { Project } from "../../../base/paths.ts";
import type { LineMark } from "../../../terminal/output.ts";

/** What one check of `pm doctor` found. */
export interface CheckResult {
  status: LineMark;
  /** What was found, and what it means. */
  message: string;
  /** What to do about it; empty when all is well. */
  hint: string;
}

export interface DoctorCheck {
  /** Stable: scripts match on it. */
  name: string;
  run(): CheckResult | Promise<CheckResult>;
}

export function ok(message: string): CheckResult {
  return { status: "ok", message, hint: "" };
}

export function warn(message: string, hint: string): CheckResult {
  return { status: "warn", message, hint };
}

export function fail(message: string, hint: string): CheckResult {
  return { status: "fail", message, hint };
}

/** The settings in force, else the defaults: another check says what is wrong with the configuration. */
export function loadConfigOrDefault(project: Project): Config {
  try {
    return loadConfig(project).config;
  } catch {
    return makeDefaultConfig();
  }
}
