import {
  caution,
  type Document,
  type DocumentBlock,
  faint,
  good,
  id,
  joinParts,
  labelled,
  line,
  makeDocument,
  quoted,
  strong,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { RuleCheck } from "./check.ts";
import type {
  ChangeAnswer,
  Proposal,
  ProposalsAnswer,
  Rule,
  RuleMode,
  RulesAnswer,
  SpokenRule,
} from "./operation.ts";

export const howToCheck = "Nothing is checked yet: `pm config set rules.check true`, then `pm setup`.";

/** What a repository says of itself, from its root. */
export const repositoryFile = ".pommel/rules.toml";
export const whoseRepositoryRules = "the repository's words, not yours: agents are only reminded";

/** The mildest first. */
export const modes: Readonly<Record<RuleMode, string>> = {
  remind: "the agent is reminded, once in a session",
  ask: "you are asked first",
  deny: "the call is denied",
};
export const modeNames = Object.keys(modes) as RuleMode[];

/** "`git push --force`", "changes of `docs/**`", "new files like `*.md`", "`console.log` in what is written", "the tool `WebSearch`" */
export function describeCheck(check: RuleCheck): string {
  switch (check.kind) {
    case "command":
      return `\`${check.words.join(" ")}\``;
    case "path":
      return `changes of \`${check.glob}\``;
    case "created":
      return `new files like \`${check.glob}\``;
    case "added":
      return `\`${check.text}\` in what is written`;
    case "tool":
      return `the tool \`${check.name}\``;
  }
}

export function wordRules({ rules, repository, is_checked, spoken }: RulesAnswer): Document {
  const theirs = wordRepositoryRules(repository, spoken);
  if (rules.length === 0 && theirs.length === 0)
    return makeDocument([
      line(
        "No rules. `pm rules propose` finds sentences of yours that could be rules; `pm rules add` adds one in your own words.",
      ),
    ]);
  const notes = is_checked ? [] : [line(caution(howToCheck))];
  return makeDocument(...rules.map((rule) => wordRule(rule, spoken)), ...theirs, notes);
}

function wordRepositoryRules(
  { file, rules, problem }: RulesAnswer["repository"],
  spoken: RulesAnswer["spoken"],
): DocumentBlock[][] {
  const listed = rules.map(({ id: ruleId, text, check }) => [
    line(id(ruleId), " ", quoted(text)),
    labelled("Forbids", describeCheck(check)),
    labelled("From", file, ": ", whoseRepositoryRules),
    ...wordSpoken(ruleId, spoken),
  ]);
  return problem === null ? listed : [...listed, [line(caution(`${file}: ${problem}`))]];
}

function wordRule(rule: Rule, spoken: RulesAnswer["spoken"]): DocumentBlock[] {
  return [
    line(id(rule.id), " ", quoted(rule.text)),
    ...wordEffect(rule),
    ...wordSaid(rule),
    ...wordSpoken(rule.id, spoken),
  ];
}

const wordSpoken = (ruleId: string, spoken: RulesAnswer["spoken"]): DocumentBlock[] =>
  describeSpoken(ruleId, spoken).map((words) => labelled("Spoke", words));

/** How what agents made of a rule is counted. */
export const followedWords = { yes: "followed", no: "not followed" } as const;

/** "5 times: followed 3, not followed 1"; nothing where it never spoke. */
export function describeSpoken(ruleId: string, spoken: RulesAnswer["spoken"]): string[] {
  const found = spoken.find(({ rule }) => rule === ruleId);
  if (found === undefined) return [];
  const { times, followed, not_followed } = found;
  const came = [
    followed > 0 && `${followedWords.yes} ${followed}`,
    not_followed > 0 && `${followedWords.no} ${not_followed}`,
  ];
  const known = came.filter((one) => one !== false).join(", ");
  return [`${formatCount(times, "time")}${known === "" ? "" : `: ${known}`}`];
}

/** What a rule did as it spoke, by its mode: before its sentence. */
export const spokeWords: Readonly<Record<RuleMode, string>> = {
  remind: "reminded",
  ask: "asked",
  deny: "denied",
};

/** What came of it; "" where nothing tells. */
export function describeOutcome({ outcome, instead }: Pick<SpokenRule, "outcome" | "instead">): string {
  switch (outcome) {
    case "not_run":
      return "not run";
    case "other_form":
      return `instead: \`${instead ?? ""}\``;
    case "once":
      return "run this once, and not again";
    case "run":
      return "run anyway";
    case "allowed":
      return "you let it run";
    case "unknown":
      return "";
  }
}

const wordEffect = ({ check, mode }: Pick<Rule, "check" | "mode">): DocumentBlock[] => [
  labelled("Forbids", describeCheck(check)),
  labelled("Mode", strong(mode), ": ", modes[mode]),
];

function wordSaid({ times, sessions, said }: Rule): DocumentBlock[] {
  const [latest] = said;
  if (latest === undefined) return [labelled("Said", "with `pm rules add`")];
  const place =
    latest.file !== undefined
      ? `in ${latest.file}`
      : latest.session_id === ""
        ? "in a note"
        : `session ${shortenSessionId(latest.session_id)}:${latest.turn}`;
  const often =
    sessions > 1
      ? `${formatCount(times, "time")} in ${formatCount(sessions, "session")}`
      : formatCount(times, "time");
  const when = latest.at === null ? null : { at: latest.at, form: "ago" as const };
  const isTakenBack = said.some((one) => one.taken_back === true);
  return [
    labelled(
      "Said",
      ...joinParts([often, when, place, isTakenBack && "of lines that were then taken out"], ", "),
    ),
  ];
}

export function wordProposals({ proposals, sessions, turns }: ProposalsAnswer): Document {
  const from = `from ${formatCount(turns, "turn")} of ${formatCount(sessions, "session")} of your own, notes and files of instructions`;
  if (proposals.length === 0) return makeDocument([line(`No rules to propose, ${from}.`)]);
  return makeDocument(...proposals.map(wordProposal), [
    line(faint(`${formatCount(proposals.length, "proposal")}, ${from}.`)),
    line(faint(`\`pm rules accept ${proposals[0]!.id}\` accepts one, \`pm rules drop\` stops proposing it.`)),
  ]);
}

function wordProposal(proposal: Proposal): DocumentBlock[] {
  const [example] = proposal.replay.examples;
  return [
    line(id(proposal.id), " ", quoted(proposal.text)),
    labelled("Forbids", describeCheck(proposal.check)),
    ...wordSaid(proposal),
    labelled("In the past", describeReplay(proposal)),
    ...(proposal.only_reminds ? [labelled("Mode", onlyReminds)] : []),
    ...(example === undefined
      ? []
      : [
          labelled(
            "Such as",
            quoted(example.what),
            ` session ${shortenSessionId(example.session_id)}:${example.turn}`,
          ),
        ]),
  ];
}

/** So often it could only be in the way. */
export const onlyReminds = "it can only remind, once in a session, because it would apply too often";

/** "it would have applied to 4 of 900 calls, of which you denied 1 and 2 were just before you said it" */
export function describeReplay({ replay: { calls, hits, denied, before } }: Proposal): string {
  const whose = [
    denied > 0 && `you denied ${denied}`,
    before > 0 && `${before} were just before you said it`,
  ];
  const of = whose.filter((one) => one !== false).join(" and ");
  return `it would have applied to ${hits === 0 ? "none" : hits} of ${formatCount(calls, "call")}${of === "" ? "" : `, of which ${of}`}`;
}

const changes = { accept: "Accepted", add: "Added", mode: "Changed", drop: "Dropped" } as const;

/** "✓ Accepted 788bdf8a never push to main", and what it does now. */
export const wordChange = (change: keyof typeof changes, { is_checked, ...rule }: ChangeAnswer): Document =>
  makeDocument(
    [
      line(good("✓"), ` ${changes[change]} `, id(rule.id), " ", quoted(rule.text)),
      ...(change === "drop" ? [] : wordEffect(rule)),
    ],
    change !== "drop" && !is_checked && [line(caution(howToCheck))],
  );

/** What is not seen in a call is not said of it. */
export function wordTest(
  broken: readonly { rule: Pick<Rule, "id" | "text" | "mode">; what: string }[],
  rules: number,
): Document {
  if (broken.length === 0)
    return makeDocument([line(`No rule applies. ${formatCount(rules, "rule")} checked.`)]);
  return makeDocument(
    ...broken.map(({ rule, what }) => [
      line(id(rule.id), " ", quoted(rule.text), `: ${rule.mode}`),
      labelled("About", quoted(what)),
    ]),
  );
}

/** More are too many to be kept in mind. */
const maxForAgents = 5;

/** The strictest first, and the repository's last: some clients do not check calls. */
export function wordRulesForAgents({ rules, repository }: Omit<RulesAnswer, "is_checked">): string[] {
  const strictest = rules.toSorted((a, b) => modeNames.indexOf(b.mode) - modeNames.indexOf(a.mode));
  const word = (whose: string, { text, check }: Pick<Rule, "text" | "check">, unless: string) =>
    `${whose}: “${toHarmlessLine(text)}”, about ${toHarmlessLine(describeCheck(check))}, unless ${unless}`;
  return [
    ...strictest.map((rule) => word("the user's rule", rule, "they ask for it")),
    ...repository.rules.map((rule) =>
      word(`a rule of this repository (${repository.file})`, rule, "the user asks for it"),
    ),
  ].slice(0, maxForAgents);
}

/** For AGENTS.md or CLAUDE.md. */
export const wordRulesAsMarkdown = (rules: readonly Rule[]): string =>
  rules.length === 0
    ? ""
    : ["## Rules", "", ...rules.map(({ text, check }) => `- ${text} (${describeCheck(check)})`)].join("\n");
