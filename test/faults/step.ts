/**
 * One piece of work on a project, as a process of its own that can be killed: `tsx step.ts <work> <root>`. Says "begin" when
 * what is loaded is loaded, and "end".
 */
import { stepsOf } from "./steps.ts";

const [work = "", root = ""] = process.argv.slice(2);
const step = stepsOf(root)[work];
if (step === undefined) throw new Error(`no such work: ${work}`);
process.stdout.write("begin\n");
await step();
process.stdout.write("end\n");
