/** Words without meaning of their own in a question. They count only when nothing else is there. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be been being but by can could did do does doing done for from get gets had has have " +
    "how i if in into is it its me my no not of on or our should so some such than that the their them then " +
    "there these they this those to us used uses using was we were what when where which while who why will " +
    "with would you your"
  ).split(" "),
);
