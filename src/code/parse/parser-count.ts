import { availableParallelism, cpus, loadavg } from "node:os";
import { performance } from "node:perf_hooks";
import { isCrowded } from "../../base/crowding.ts";
import { readFreeBytes } from "../../base/memory-budget.ts";

/** What decides how many threads parse. */
export interface ParserCircumstances {
  /** Processors that this process may use. */
  cores: number;
  /** How many processors do the work of others. */
  load: number;
  /** Files that wait. */
  files: number;
  /** Threads that parse already. */
  running: number;
  /** What the process may still take, beyond what it and these threads hold. */
  freeBytes: number;
  /** Whether many sessions are read at the same time, which needs as much memory. */
  isCrowded: boolean;
  /** For which share of the time the thread that writes has worked lately: 0 to 1. */
  writerShare: number;
}

/** With the thread that writes, that makes eight. */
const maxParsers = 7;
/** So many are right on two cores, whatever else runs there: with one less, who waits for an index waits half as long again. */
const fewParsers = 2;
/** Each thread compiles the same grammars, queries and functions for itself: a second of CPU time, which so many files take as well. */
const filesPerParser = 300;
/** What one thread holds, and by what all else grows meanwhile. Bytes. */
const parserBytes = 60 * 2 ** 20;
const reserveBytes = 40 * 2 ** 20;
/** Where less is left, one thread has to end. Bytes. */
const scarceBytes = 20 * 2 ** 20;
/** Where the thread that writes works for so much of its time, more could not be written. */
const maxWriterShare = 0.75;

/**
 * How many threads may parse: one for some hundred files, two for more; further ones only on processors that nobody else uses, while
 * there is memory for them and the thread that writes keeps up. Where memory is scarce, it is one less than there are.
 */
export function countParsers(now: ParserCircumstances): number {
  if (now.isCrowded) return 1;
  if (now.freeBytes < scarceBytes) return Math.max(now.running - 1, 1);
  const forFiles = 1 + Math.floor(now.files / filesPerParser);
  const onCores = Math.max(Math.floor(now.cores - 1 - now.load), fewParsers);
  const wanted = Math.min(forFiles, onCores, maxParsers);
  const isWriterBehind = now.running >= fewParsers && now.writerShare >= maxWriterShare;
  const further = isWriterBehind ? 0 : Math.floor((now.freeBytes - reserveBytes) / parserBytes);
  return Math.max(Math.min(wanted, now.running + Math.max(further, 0)), 1);
}

/** How long a reading of the machine is right enough. Milliseconds. */
const keepMs = 250;
/** What others do is the mean of so long, so that threads do not end and start with each command that somebody runs. Milliseconds. */
const loadOverMs = 5000;

/** `countParsers` for this process, asked from the thread that writes. */
export function watchParserCount(): (asked: { files: number; running: number }) => number {
  const cores = availableParallelism();
  const readLoad = watchLoadOfOthers();
  let reading = readMachine();
  function readMachine() {
    return {
      at: performance.now(),
      load: readLoad(),
      freeBytes: readFreeBytes(),
      writer: performance.eventLoopUtilization(),
      writerShare: 0,
    };
  }
  return (asked) => {
    if (performance.now() - reading.at >= keepMs) {
      const writerShare = performance.eventLoopUtilization(reading.writer).utilization;
      reading = { ...readMachine(), writerShare };
    }
    const { load, freeBytes, writerShare } = reading;
    return countParsers({ ...asked, cores, load, freeBytes, writerShare, isCrowded: isCrowded() });
  };
}

/** @returns how many processors did the work of other processes lately */
function watchLoadOfOthers(): () => number {
  let before = readProcessors();
  let load = loadavg()[0]!;
  return () => {
    const now = readProcessors();
    const elapsedMs = now.at - before.at;
    if (elapsedMs < loadOverMs) return load;
    load = Math.max(now.allMs - before.allMs - (now.ownMs - before.ownMs), 0) / elapsedMs;
    before = now;
    return load;
  };
}

function readProcessors(): { at: number; allMs: number; ownMs: number } {
  const own = process.cpuUsage();
  let allMs = 0;
  for (const { times } of cpus()) allMs += times.user + times.nice + times.sys + times.irq;
  return { at: performance.now(), allMs, ownMs: (own.user + own.system) / 1000 };
}
