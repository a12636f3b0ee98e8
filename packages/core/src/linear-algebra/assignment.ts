// Linear assignment (Jonker and Volgenant 1987): rows to columns, one to one, at the least total cost. Most rows are placed
// by cheap reductions; the few that are left find shortest augmenting paths.
import { EngineError } from "../engine/error.ts";

export interface Assignment {
  /** The column of each row. */
  readonly columnOf: Int32Array;
  readonly cost: number;
  /** Dual prices: cost[i][j] - row[i] - column[j] >= 0, with equality where assigned; they prove that nothing is cheaper. */
  readonly rowPrices: Float64Array;
  readonly columnPrices: Float64Array;
}

const nobody = -1;

/**
 * The cheapest assignment for an n x n matrix of costs, row by row.
 * @example [...linearAssignment(Float64Array.of(4, 1, 2, 3), 2).columnOf] // [1, 0]
 */
export function linearAssignment(costs: Float64Array, n: number): Assignment {
  if (costs.length !== n * n)
    throw new EngineError(`an assignment of ${n} rows has ${n * n} costs, not ${costs.length}`);
  const bad = costs.findIndex((c) => !Number.isFinite(c));
  if (bad >= 0)
    throw new EngineError(`the cost of row ${Math.floor(bad / n)}, column ${bad % n} is ${costs[bad]}`);
  const state = new Solver(costs, n);
  let free = state.reduceColumns();
  for (let pass = 0; pass < 2; pass++) free = state.reduceRows(free);
  for (const row of free) state.augment(row);
  return state.result();
}

class Solver {
  readonly #costs: Float64Array;
  readonly #n: number;
  readonly #columnOf: Int32Array;
  readonly #rowOf: Int32Array;
  readonly #v: Float64Array;
  readonly #distance: Float64Array;
  readonly #before: Int32Array;
  readonly #columns: Int32Array;

  constructor(costs: Float64Array, n: number) {
    this.#costs = costs;
    this.#n = n;
    this.#columnOf = new Int32Array(n).fill(nobody);
    this.#rowOf = new Int32Array(n).fill(nobody);
    this.#v = new Float64Array(n);
    this.#distance = new Float64Array(n);
    this.#before = new Int32Array(n);
    this.#columns = Int32Array.from({ length: n }, (_, j) => j);
  }

  #match(row: number, column: number): void {
    this.#columnOf[row] = column;
    this.#rowOf[column] = row;
  }

  /** Each column costs what its cheapest row asks; a row that is cheapest somewhere takes it. The rows left over. */
  reduceColumns(): readonly number[] {
    const [n, costs] = [this.#n, this.#costs];
    for (let j = n - 1; j >= 0; j--) {
      let [best, row] = [Number.POSITIVE_INFINITY, 0];
      for (let i = 0; i < n; i++) {
        const c = costs[i * n + j]!;
        if (c < best) [best, row] = [c, i];
      }
      this.#v[j] = best;
      if (this.#columnOf[row] === nobody) this.#match(row, j);
    }
    return Array.from({ length: n }, (_, i) => i).filter((i) => this.#columnOf[i] === nobody);
  }

  /** Free rows bid for their best column, at the price that their second best leaves; who loses a column is free. */
  reduceRows(free: readonly number[]): readonly number[] {
    const [n, costs, v] = [this.#n, this.#costs, this.#v];
    const waiting = [...free].reverse();
    const left: number[] = [];
    // Rows may outbid each other by less and less: a bound on the rounds leaves the rest to augmentation.
    for (let round = 0; waiting.length > 0 && round < 4 * n; round++) {
      const i = waiting.pop()!;
      let [first, second, j1, j2] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, nobody, nobody];
      for (let j = 0; j < n; j++) {
        const reduced = costs[i * n + j]! - v[j]!;
        if (reduced >= second) continue;
        if (reduced < first) [second, j2, first, j1] = [first, j1, reduced, j];
        else [second, j2] = [reduced, j];
      }
      const raise = second - first;
      if (raise > 0 && Number.isFinite(raise)) v[j1]! -= raise;
      else if (this.#rowOf[j1] !== nobody && j2 !== nobody) j1 = j2;
      const loser = this.#rowOf[j1]!;
      this.#match(i, j1);
      if (loser === nobody) continue;
      this.#columnOf[loser] = nobody;
      if (raise > 0) waiting.push(loser);
      else left.push(loser);
    }
    return [...left, ...waiting];
  }

  /** A shortest path from a free row to a free column, in reduced costs (Dijkstra); prices follow. */
  augment(freeRow: number): void {
    const [n, costs, v, distance, columns] = [this.#n, this.#costs, this.#v, this.#distance, this.#columns];
    for (let j = 0; j < n; j++) {
      distance[j] = costs[freeRow * n + j]! - v[j]!;
      this.#before[j] = freeRow;
      columns[j] = j;
    }
    // columns: [0, low) scanned, [low, up) at the least distance, [up, n) others.
    let [low, up, least, end] = [0, 0, 0, nobody];
    let scanned = 0;
    while (end === nobody) {
      if (low === up) {
        scanned = low;
        least = Number.POSITIVE_INFINITY;
        for (let k = low; k < n; k++) {
          const d = distance[columns[k]!]!;
          if (d > least) continue;
          if (d < least) {
            up = low;
            least = d;
          }
          const other = columns[up]!;
          columns[up++] = columns[k]!;
          columns[k] = other;
        }
        for (let k = low; k < up && end === nobody; k++)
          if (this.#rowOf[columns[k]!] === nobody) end = columns[k]!;
        if (end !== nobody) break;
      }
      const j1 = columns[low++]!;
      const i = this.#rowOf[j1]!;
      const shift = costs[i * n + j1]! - v[j1]! - least;
      for (let k = up; k < n; k++) {
        const j = columns[k]!;
        const d = costs[i * n + j]! - v[j]! - shift;
        if (d >= distance[j]!) continue;
        this.#before[j] = i;
        distance[j] = d;
        if (d > least) continue;
        if (this.#rowOf[j] === nobody) {
          end = j;
          break;
        }
        columns[k] = columns[up]!;
        columns[up++] = j;
      }
    }
    for (let k = 0; k < scanned; k++) v[columns[k]!]! += distance[columns[k]!]! - least;
    for (let j = end; ; ) {
      const i = this.#before[j]!;
      const next = this.#columnOf[i]!;
      this.#match(i, j);
      if (i === freeRow) return;
      j = next;
    }
  }

  result(): Assignment {
    const n = this.#n;
    const rowPrices = Float64Array.from(this.#columnOf, (j, i) => this.#costs[i * n + j]! - this.#v[j]!);
    const cost = this.#columnOf.reduce((sum, j, i) => sum + this.#costs[i * n + j]!, 0);
    return { columnOf: this.#columnOf, cost, rowPrices, columnPrices: this.#v };
  }
}
