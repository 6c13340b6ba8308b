/** Words that show a sentence's purpose, in English and Danish. Weights are relative. */

type Cue = readonly [pattern: RegExp, weight: number];

/** `\b` does not know æ, ø, å: words are bounded by non-letters of either language. */
const compileAlternatives = (alternatives: string): RegExp =>
  new RegExp(`(?<![a-zæøå0-9_])(?:${alternatives})(?![a-zæøå0-9_])`, "i");

const problems: Cue[] = [
  [
    compileAlternatives(
      "root cause|the (?:actual |real |core |main )?(?:issue|problem|bug|culprit|error|failure) (?:is|was|here|seems|comes|occurs|happens)|turns out|caused by|(?:fails?|failed|failing|breaks?|broke|crash(?:es|ed)?) (?:because|when|with|since|if|due)|race condition|deadlock|regression|critical bug|data loss|bug:|issue:|problem:|is broken|was broken|the mistake",
    ),
    3,
  ],
  [
    compileAlternatives(
      "(?:problemet|fejlen|årsagen) (?:er|var|skyldes|ligger|opstår)|skyldes|går i stykker|gik i stykker|fejler (?:fordi|når|hvis|med)",
    ),
    3,
  ],
  [
    compileAlternatives(
      "bugs?|broken|doesn't (?:work|match|exist|handle)|does not (?:work|match|exist|handle)|didn't work|not working|fail(?:s|ed|ing|ure)?|crash(?:es|ed)?|wrong|incorrect(?:ly)?|corrupt(?:ed)?|leaks?|flaky",
    ),
    1,
  ],
  [compileAlternatives("fejl(?:er|ede)?|virker ikke|mangler|forkert|ødelagt|går ned|crasher"), 1],
];

const resolutions: Cue[] = [
  [
    compileAlternatives(
      "(?:the|my) (?:fix|solution|resolution) (?:is|was)|fix:|solution:|fixed|fixes|resolved|resolves|solved|now (?:passes|pass|works|work|uses|use|handles|returns|checks)|works now|passes now",
    ),
    3,
  ],
  [compileAlternatives("rettet|løst|løsningen (?:er|var|blev)|virker nu|består nu|bruger nu"), 3],
  [
    compileAlternatives(
      "(?:we|i)(?:'ll| will)? (?:need to |should |can )?(?:fix|change|replace|add|move|remove|update|use)(?:ed|d)?|added|changed|replaced|removed|moved|updated|reverted",
    ),
    1.5,
  ],
  [compileAlternatives("tilføjet|ændret|erstattet|fjernet|flyttet|opdateret"), 1.5],
];

/** All is well, or errors are only mentioned. */
const noProblem = compileAlternatives(
  "(?:not|isn't|never) (?:an? |the |data )?(?:issue|problem|bug|loss|failure)|(?:0|no|without|zero) (?:\\w+ )?(?:issues?|problems?|errors?|failures?|conflicts?|bugs?)|error (?:handling|messages?|wrapping|path|types?|cases?)|all (?:\\w+ )?(?:tests |checks )?(?:pass|green|good)(?:ed|es|ing)?|missing (?:tests|coverage)|ingen fejl|alt(?:ing)? virker",
);

function weigh(sentence: string, cues: readonly Cue[]): number {
  let weight = 0;
  for (const [pattern, worth] of cues) if (pattern.test(sentence)) weight += worth;
  return weight;
}

export function weighProblem(sentence: string): number {
  const weight = weigh(sentence, problems);
  return weight === 0 || noProblem.test(sentence) ? 0 : weight;
}

export const weighResolution = (sentence: string): number => weigh(sentence, resolutions);
