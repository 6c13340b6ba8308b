import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { describeReadySources, makeReady } from "../../features/context/ready.ts";
import type { UndoStep } from "../lifecycle/endings.ts";
import { describeRepositoryFiles, type HookPartsReady } from "./hook-parts-ready.ts";

/** How often to check whether anything has changed that agents are told. Milliseconds. */
const lookMs = 1000;
/** The rest after making context, as a multiple of the time that it took: while sessions are read, everything keeps changing. */
const restsTimes = 20;

/**
 * Keeps the automatic context of a checkout's agents prepared for hooks.
 * @param parts makes the files that features' parts in hooks need
 * @returns stops that
 */
export function keepContext(project: Project, parts: HookPartsReady, log: Logger): UndoStep {
  let state = "";
  let nextAt = 0;
  let making: Promise<void> = Promise.resolve();
  let isMaking = false;
  const describeSources = () => `${describeReadySources(project)} ${describeRepositoryFiles(project.root)}`;
  const make = async () => {
    const started = performance.now();
    const before = describeSources();
    try {
      await makeReady(project);
      await parts.makeAll();
    } catch (error) {
      log.debug(`${project.root}: context is not made ready: ${getErrorMessage(error)}`);
    }
    state = before;
    nextAt = performance.now() + (performance.now() - started) * restsTimes;
  };
  const look = () => {
    if (isMaking || performance.now() < nextAt || describeSources() === state) return;
    isMaking = true;
    making = make().finally(() => {
      isMaking = false;
    });
  };
  const timer = setInterval(look, lookMs).unref();
  look();
  return async () => {
    clearInterval(timer);
    await making;
  };
}
