import rules from "./commands.json" with { type: "json" };

/** How programs say that they were called wrongly, and not that what they work on is wrong: a module that a file imports is of the code. */
const calledWrongly = new RegExp(rules.calledWrongly.join("|"), "im");

/** Whether an error is of how a command was called: its flags, its name, where it ran. */
export const isUsageError = (error: string): boolean => calledWrongly.test(error);
