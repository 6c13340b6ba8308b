/**
 * Words that indicate a chunk's kind, in English and Danish. `_` matches any apostrophe or none, `*` the rest of a
 * word.
 */

const list = (words: string): readonly string[] => words.split(/[,\n]/).map((word) => word.trim());

/** A decision or a recommendation, from either side. */
export const decisionTerms = list(
  `we decided, i decided, decided to, decided against, decided on, decision:, key decision*, design decision*
   the decision was, the decision is, we chose, i chose, we_ve chosen, chose to, opted for, opted to, settled on
   we agreed, reason:, rationale, recommendation:, my recommendation, i recommend, i_d recommend, i would recommend
   i_d go with, i would go with, let_s go with, we_ll go with, we go with, going with option, trade-off*, tradeoff*
   the reason we, the reason i, the reason for this, the reason is, pros and cons, user has answered your question*
   vi valgte, vi har valgt, jeg valgte, vi vælger, beslutning:, besluttede, besluttet, anbefaling:, min anbefaling
   jeg anbefaler, jeg vil anbefale, grunden er, årsagen er, begrundelse, afvejning, fordele og ulemper
   lad os gå med, vi går med`,
);

/** Only counts in a human's message: they choose. */
export const choiceTerms = list(
  `option a, option b, option c, option d, option 1, option 2, option 3, option 4, go with, let_s use, let_s keep
   let_s not, let_s drop, let_s stick, let_s remove, i prefer, i_d prefer, i_d rather, i would rather, i would prefer
   we should not, we shouldn_t, i think we should, i don_t think we should, i don_t want, we don_t want, instead of
   rather than, i like option, i like the, i like that approach, makes more sense
   mulighed a, mulighed b, mulighed 1, mulighed 2, jeg foretrækker, jeg vil hellere, vi skal ikke, lad os bruge
   lad os beholde, lad os droppe, i stedet for, frem for`,
);

/** One of them says nothing; several in one place weigh one thing against another. */
export const reasoningTerms = list(
  `because, instead of, rather than, option a, option b, option 1, option 2, alternative*, on the other hand
   downside*, upside*, drawback*, advantage*, disadvantage*, prefer*, pros, cons, better to, simpler, therefore
   however, approach
   fordi, i stedet for, frem for, derimod, alternativ*, ulempe*, fordel*, derfor, hellere`,
);

/** A human reports that something does not work. */
export const errorReports = list(
  `error*, fail, fails, failed, failing, failure*, broken, breaks, bug, bugs, crash*, exception*, panic*, stack trace
   stacktrace, traceback, doesn_t work, does not work, didn_t work, isn_t working, not working, still not
   stopped working, wrong, flaky, regression*, incorrect*, unexpected*, hangs, deadlock*, race condition*
   fejl*, virker ikke, virkede ikke, går ned, gik ned, går i stå, hænger, crasher, ødelagt, forkert*, uventet*`,
);

/** How a plan is handed over that was made before: the errors in it are not reported but planned for. */
export const handsOverPlan =
  /^\s*(?:please )?(?:implement|execute|carry out|follow) (?:the|this)(?: following)? plan\b/i;

/** An agent reports a fix. */
export const fixReports = list(
  `root cause, the fix was, the fix is, the bug was, the problem was, the issue was, is fixed, is now fixed, fixed the, i_ve fixed
   i fixed, bug fix*, now passes, now works, works now
   årsagen var, problemet var, fejlen var, er rettet, er løst, rettelsen, virker nu`,
);

export const architectureTerms = list(
  `architecture*, architectural*, layer*, module*, component*, interface*, abstraction*, dependency, dependencies
   decoupl*, coupling, design pattern*, schema*, pipeline*, data flow*, dataflow, service*, boundary, boundaries
   state machine*, lifecycle*, protocol*, registry, adapter*, concurrency, event-driven, separation of concerns
   single source of truth, data model*, backend*, frontend*, storage, extensib*, plugin*, responsibilit*
   entry point*
   arkitektur*, lagdeling*, modul, moduler, modulet, komponent*, grænseflade*, afhængighed*, mønster, mønstre
   datastrøm*, datamodel*, tjeneste*, tilstandsmaskine*, livscyklus, ansvar`,
);

/** A pattern for any of the words: whole words, in any case, with any white space between them. */
export function wordPattern(words: readonly string[], more: readonly string[] = []): RegExp {
  const escaped = (word: string): string =>
    word
      .trim()
      .replace(/[.+?^${}()|[\]\\/]/g, "\\$&")
      .replace(/\s+/g, "\\s+");
  const ours = words.map((word) => escaped(word).replaceAll("_", "['’]?").replaceAll("*", "[\\p{L}-]*"));
  const theirs = more.map((word) => escaped(word).replaceAll("*", "\\*")).filter((word) => word !== "");
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${[...ours, ...theirs].join("|")})(?![\\p{L}\\p{N}_])`, "giu");
}
