import { changeMemory } from "../../answers/changing.ts";
import type { Subjects } from "../../answers/operation.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { dayMs } from "../../base/text/day.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { listSpoken } from "./followed.ts";
import { makeCheck } from "./make-check.ts";
import type {
  ChangeAnswer,
  changeRequest,
  Proposal,
  ProposalsAnswer,
  proposeRequest,
  Rule,
  RulesAnswer,
  SpokenAnswer,
  SpokenRule,
  spokenRequest,
} from "./operation.ts";
import { findProposals, identifyCheck } from "./propose.ts";
import { findRulesWritten } from "./read-instructions.ts";
import {
  areRulesChecked,
  makeCleaner,
  makeRulesReady,
  readDropped,
  readRules,
  readRulesOfCheckout,
  saveRules,
} from "./stored.ts";
import { describeReplay } from "./words.ts";

/** Of which it is looked into what came of them. */
const maxSpoken = 200;
const spokenSinceMs = 90 * dayMs;

export function listRules({ project, memory }: Subjects["memory"]): RulesAnswer {
  const [rules, repository] = [readRules(memory), readRulesOfCheckout(project, memory)];
  const asked = { sessionUid: null, since: Date.now() - spokenSinceMs, limit: maxSpoken };
  const spoken = listSpoken(memory, [...rules, ...repository.rules], asked);
  return { rules, repository, is_checked: areRulesChecked(project), spoken: countSpoken(spoken) };
}

/** Entries in the list, by default. */
const listedSpoken = 100;

export async function listSpokenRules(
  { project, memory }: Subjects["memory"],
  { session, since, limit = listedSpoken }: Shaped<typeof spokenRequest>,
): Promise<SpokenAnswer> {
  const rules = [...readRules(memory), ...readRulesOfCheckout(project, memory).rules];
  const sessionUid = session === undefined ? null : findSession(memory, session).uid;
  const from = since === undefined ? 0 : await parseWhen(since, "since");
  return { spoken: listSpoken(memory, rules, { sessionUid, since: from, limit }) };
}

function countSpoken(spoken: readonly SpokenRule[]): RulesAnswer["spoken"] {
  const counts = new Map<string, RulesAnswer["spoken"][number]>();
  for (const { rule, was_followed } of spoken) {
    const count = counts.get(rule) ?? { rule, times: 0, followed: 0, not_followed: 0 };
    counts.set(rule, count);
    count.times++;
    if (was_followed === true) count.followed++;
    if (was_followed === false) count.not_followed++;
  }
  return [...counts.values()];
}

export async function proposeRules(
  { project, memory }: Subjects["memory"],
  { limit = 10 }: Shaped<typeof proposeRequest>,
): Promise<ProposalsAnswer> {
  const known = new Set([...readRules(memory).map(({ id }) => id), ...readDropped(memory)]);
  const found = await propose(project, memory, known);
  return { ...found, proposals: found.proposals.slice(0, limit) };
}

const propose = (project: Project, memory: Memory, known: ReadonlySet<string>): Promise<ProposalsAnswer> =>
  findProposals(memory, known, (used) => findRulesWritten(project.root, used, makeCleaner(project)));

export async function changeRule(
  { project }: Subjects["project"],
  request: Shaped<typeof changeRequest>,
): Promise<ChangeAnswer> {
  return changeMemory(
    project,
    async ({ memory, scrubber }) => {
      const clean = (text: string) => scrubAlone(scrubber, text);
      const changed = await change(project, memory, request, clean);
      makeRulesReady(project, memory);
      return { ...changed, is_checked: areRulesChecked(project) };
    },
    { create: request.change === "add" },
  );
}

async function change(
  project: Project,
  memory: Memory,
  request: Shaped<typeof changeRequest>,
  clean: (text: string) => string,
): Promise<Rule> {
  const rules = readRules(memory);
  const dropped = readDropped(memory);
  switch (request.change) {
    case "add": {
      const added = makeRule(request, clean);
      saveRules(
        memory,
        [...rules.filter(({ id }) => id !== added.id), added],
        dropped.filter((id) => id !== added.id),
      );
      return added;
    }
    case "accept": {
      const { proposals } = await propose(project, memory, new Set(rules.map(({ id }) => id)));
      const chosen = chooseById(
        [
          ...listTheirs(project, memory),
          ...proposals.map(({ replay: _, only_reminds: __, ...proposed }) => proposed),
        ],
        request.id,
        "`pm rules propose` lists what can be accepted.",
      );
      const accepted = { ...chosen, mode: request.mode ?? chosen.mode };
      refuseInTheWay(accepted, proposals, `\`pm rules accept ${chosen.id}\` accepts it as a reminder.`);
      saveRules(
        memory,
        [...rules, accepted],
        dropped.filter((id) => id !== accepted.id),
      );
      return accepted;
    }
    case "mode": {
      const chosen = chooseById(rules, request.id, "`pm rules` lists them.");
      if (request.mode === undefined)
        throw new PommelError("usage", "No mode given.", "One of remind, ask, deny.");
      const changed = { ...chosen, mode: request.mode };
      // What was proposed as a reminder stays one; what the person wrote is as strict as they want.
      if (changed.mode !== "remind" && changed.said.length > 0) {
        const others = rules.filter(({ id }) => id !== changed.id).map(({ id }) => id);
        const { proposals } = await propose(project, memory, new Set(others));
        refuseInTheWay(
          changed,
          proposals,
          "`pm rules add` sets it all the same, as a rule in your own words.",
        );
      }
      saveRules(
        memory,
        rules.map((one) => (one.id === changed.id ? changed : one)),
        dropped,
      );
      return changed;
    }
    case "drop": {
      const own = [...rules, ...listTheirs(project, memory)].find(
        ({ id }) => request.id !== undefined && id.startsWith(request.id),
      );
      // What is only proposed is not proposed again, and a repository is not listened to.
      const chosen =
        own ??
        chooseById(
          (await propose(project, memory, new Set())).proposals,
          request.id,
          "`pm rules` lists them.",
        );
      saveRules(
        memory,
        rules.filter(({ id }) => id !== chosen.id),
        [...new Set([...dropped, chosen.id])],
      );
      return chosen;
    }
  }
}

/** @throws where a rule that was proposed as a reminder is to ask or deny */
function refuseInTheWay({ id, mode }: Rule, proposals: readonly Proposal[], hint: string): void {
  const proposed = proposals.find((one) => one.id === id);
  if (mode === "remind" || proposed?.only_reminds !== true) return;
  throw new PommelError("usage", `In this mode it would be in the way: ${describeReplay(proposed)}.`, hint);
}

/** What the repository asks, as a rule that the person might make theirs. */
const listTheirs = (project: Project, memory: Memory): Rule[] =>
  readRulesOfCheckout(project, memory).rules.map((theirs) => ({
    ...theirs,
    times: 1,
    sessions: 0,
    said: [],
    mode: "remind",
  }));

function chooseById<R extends { id: string }>(all: readonly R[], id: string | undefined, hint: string): R {
  const found = all.filter((one) => id !== undefined && id !== "" && one.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  const problem = found.length > 1 ? `Several rules begin with ${id}.` : `There is no rule ${id ?? ""}.`;
  throw new PommelError(found.length > 1 ? "usage" : "not_found", problem, hint);
}

function makeRule(
  { text, command, path, created, added, tool, mode }: Shaped<typeof changeRequest>,
  clean: (text: string) => string,
): Rule {
  const check = makeCheck({
    command: command && clean(command),
    path: path && clean(path),
    created: created && clean(created),
    added: added && clean(added),
    tool: tool && clean(tool),
  });
  if (check === null || !text?.trim())
    throw new PommelError(
      "usage",
      "A rule is a sentence and one thing that it forbids.",
      'For example: pm rules add "never push to main" --command "git push main". A path has at most three wildcards.',
    );
  return {
    id: identifyCheck(check),
    text: clean(text.trim()),
    check,
    times: 1,
    sessions: 0,
    said: [],
    mode: mode ?? "remind",
  };
}
