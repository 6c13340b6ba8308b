import { describe, expect, it } from "vitest";
import { random } from "../../attribution/random.ts";
import { planOf } from "./run.ts";
import type { Task } from "./tasks.ts";

const tasks = Array.from({ length: 20 }, (_, i) => ({ id: `t${i}` }) as Task);
const named = (seed: number, rounds = 2) =>
  planOf(tasks, rounds, random(seed)).map(
    ({ task, round, order }) => `${task.id} ${round} ${order.join(" ")}`,
  );

describe("the order of runs", () => {
  it("is the same for a seed, and another for another", () => {
    expect(named(1)).toEqual(named(1));
    expect(named(1)).not.toEqual(named(2));
  });

  it("has each task once in each round", () => {
    const pairs = named(3).map((name) => name.split(" ").slice(0, 2).join(" "));
    expect(new Set(pairs).size).toBe(40);
  });

  it("begins with either arm, and with each once in two rounds of a task", () => {
    const firsts = (rounds: number) => named(4, rounds).map((name) => name.split(" ")[2]);
    expect(new Set(firsts(1))).toEqual(new Set(["with", "without"]));
    expect(firsts(2).filter((arm) => arm === "with")).toHaveLength(20);
  });
});
