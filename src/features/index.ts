import * as daemon from "../answers/daemon/operation.ts";
import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import * as blame from "./blame/operation.ts";
import * as checkpoints from "./checkpoints/operation.ts";
import * as code from "./code/operation.ts";
import * as context from "./context/operation.ts";
import * as cost from "./cost/operation.ts";
import * as deadEnds from "./dead-ends/operation.ts";
import * as decisions from "./decisions/operation.ts";
import * as digest from "./digest/operation.ts";
import * as doctor from "./doctor/operation.ts";
import * as events from "./events/operation.ts";
import * as files from "./files/operation.ts";
import * as fix from "./fix/operation.ts";
import * as forget from "./forget/operation.ts";
import * as handoff from "./handoff/operation.ts";
import * as how from "./how/operation.ts";
import * as impact from "./impact/operation.ts";
import * as importing from "./import/operation.ts";
import * as indexing from "./index/operation.ts";
import * as jobs from "./jobs/operation.ts";
import * as lost from "./lost/operation.ts";
import * as notes from "./notes/operation.ts";
import * as now from "./now/operation.ts";
import * as packages from "./packages/operation.ts";
import * as page from "./page/operation.ts";
import * as projects from "./projects/operation.ts";
import * as radar from "./radar/operation.ts";
import * as recall from "./recall/operation.ts";
import * as related from "./related/operation.ts";
import * as review from "./review/operation.ts";
import * as rewind from "./rewind/operation.ts";
import * as rules from "./rules/operation.ts";
import * as scrub from "./scrub/operation.ts";
import * as search from "./search/operation.ts";
import * as sessions from "./sessions/operation.ts";
import * as settings from "./settings/operation.ts";
import * as stats from "./stats/operation.ts";
import * as status from "./status/operation.ts";
import * as statusline from "./statusline/operation.ts";
import * as undo from "./undo/operation.ts";
import * as used from "./used/operation.ts";
import * as why from "./why/operation.ts";

/** What Pommel does, a feature a line: its operations. */
const features = {
  now,
  radar,
  search,
  code,
  sessions,
  notes,
  decisions,
  why,
  blame,
  recall,
  related,
  how,
  fix,
  lost,
  digest,
  stats,
  cost,
  review,
  checkpoints,
  rewind,
  undo,
  events,
  impact,
  packages,
  files,
  handoff,
  deadEnds,
  rules,
  context,
  projects,
  importing,
  indexing,
  jobs,
  status,
  used,
  statusline,
  settings,
  doctor,
  scrub,
  forget,
  page,
  daemon,
};

type Features = typeof features;
type ExportedValue = { [F in keyof Features]: Features[F][keyof Features[F]] }[keyof Features];
/** Every operation. */
export type AnyOperation = Extract<ExportedValue, Operation>;
export type OperationName = AnyOperation["name"];
type OperationNamed<N extends OperationName> = Extract<AnyOperation, { name: N }>;
export type RequestNamed<N extends OperationName> = RequestOf<OperationNamed<N>>;
export type ResponseNamed<N extends OperationName> = ResponseOf<OperationNamed<N>>;

const isOperation = (exported: unknown): exported is AnyOperation =>
  typeof exported === "object" && exported !== null && "answer" in exported;

const listOperations = (feature: object): AnyOperation[] =>
  Object.values(feature)
    .filter(isOperation)
    .sort((a, b) => (a.path < b.path ? -1 : 1));

/** Every operation, by name. */
export const operations = new Map<string, AnyOperation>(
  Object.values(features)
    .flatMap(listOperations)
    .map((operation) => [operation.name, operation]),
);

/** Those of the contract; others are for Pommel's own programs, which have the same version. */
export const publicOperations: readonly Operation[] = [...operations.values()].filter(
  ({ audience }) => audience !== "pommel",
);
