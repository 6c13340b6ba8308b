import { extractContentWords } from "./prose.ts";

/** Words that any session may begin with: they say nothing about this one. */
const generic = new Set(
  (
    "removed remove removes removing dead cleanup clean cleaned doc docs added adding adds few additional proper properly correct simplify simplification refactor refactoring refactored improve improved better ensure tweak tweaks minor misc various small extra wip umm um sorry say fyi one twice happened having right double add address again agent agents another any apply appreciate approach ask back based branch branches bring broken bug bugs build building " +
    "can catch change changed changes check checks code comment comments commit commits compare conflict conflicts context continue copilot could current " +
    "cursor date debug diff directory discuss discussion does doing edit error errors everything explain fail failed failing fails failure failures feedback file files find first fix fixed " +
    "fixes fixing folder following full generate get getting git github give going good got group have hello help hey hmm idea implement issue issues item items just " +
    "last latest let lets line lines lint linter lints look looking main make making master meaningful merge merged merges message minor more my name need new next nit now " +
    "ok open opened origin other parent part passing please plan problem problems prior project pull push quick quickly read rebase rebasing reply " +
    "repo repository request resolve respond review reviewer reviewing reviews run running section see seeing shows should show some something start started starting " +
    "step still stop stuff suggestion suggestions summarize summary take talk task test tests thing things think throwing throws today together trying try understand update updated upstream " +
    "use using want was we well what when where which while why work worked working wrong yesterday your " +
    "pr prs ci pipeline hej ændringer ret kør gennemgå"
  ).split(" "),
);
/** The number of words that say something: "#12" and "github.com/…/pull/2" name no subject. */
export function countTelling(title: string): number {
  const words = extractContentWords(title.replace(/\S+\/…\/(?:pull|pulls|issues|\d+)\/\S+|#\d+/g, " "));
  const versions = title.match(/\d+\.\d+/g) ?? [];
  return [...words].filter((word) => !generic.has(word)).length + versions.length;
}
