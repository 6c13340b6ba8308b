import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { describeReadySources, makeReady } from "../../features/context/ready.ts";
import type { Ending } from "../lifecycle/endings.ts";
import { describeRepositoryFiles, type HookPartsReady } from "./hook-parts-ready.ts";

/** How often to look whether anything changed that agents are told of. Milliseconds. */
const lookMs = 1000;
/** Between one making and the next it rests so many times as long as that took: while sessions are read, all changes all the time. */
const restsTimes = 20;

/**
 * Keeps what a checkout's agents are told by themselves ready for hooks.
 * @param parts what features' parts in hooks go by
 * @returns what ends that
 */
export function keepContext(project: Project, parts: HookPartsReady, log: Logger): Ending {
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
