import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GraphNode } from "../../src/search/graph/graph.ts";
import { DatabaseSync } from "../../src/store/sqlite/sqlite.ts";

/** From this confidence on an edge of codegraph's counts as sure: it gives 0.9 to what an import resolves, 0.4 to a mere name. */
const sure = 0.8;

/**
 * What another tool says calls run: codegraph 1.6 (npm: @colbymchenry/codegraph), asked in the database that
 * `codegraph init` leaves in a checkout. An edge there has the line of the call and the text of the reference.
 */
export class Codegraph {
  private constructor(private readonly database: InstanceType<typeof DatabaseSync>) {}

  /** Null where codegraph did not index the checkout. */
  static of(root: string): Codegraph | null {
    const file = join(root, ".codegraph/codegraph.db");
    return existsSync(file) ? new Codegraph(new DatabaseSync(file, { readOnly: true })) : null;
  }

  /** What a call of a name on a line runs, sure edges apart; empty: it has no edge. */
  called(file: string, line: number, name: string): { node: GraphNode; isSure: boolean }[] {
    const rows = this.database
      .prepare(
        `SELECT target.name, target.kind, target.file_path AS file, target.start_line AS line, target.end_line AS endLine,
           target.qualified_name AS qualified, edges.metadata ->> '$.refName' AS said,
           coalesce(edges.metadata ->> '$.confidence', 0) >= ? AS isSure
         FROM edges JOIN nodes AS source ON source.id = edges.source JOIN nodes AS target ON target.id = edges.target
         WHERE edges.kind IN ('calls', 'instantiates') AND source.file_path = ? AND edges.line = ?`,
      )
      .all(sure, file, line) as unknown as (GraphNode & {
      qualified: string;
      said: string | null;
      isSure: number;
    })[];
    return rows
      .filter((row) => (row.said ?? row.name).split(/[.:#>]+/).at(-1) === name)
      .map(({ qualified, said: _, isSure, ...node }) => ({
        node: { ...node, parent: qualified.split("::").at(-2) ?? null },
        isSure: isSure === 1,
      }));
  }

  close(): void {
    this.database.close();
  }
}
