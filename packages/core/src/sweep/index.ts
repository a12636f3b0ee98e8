export { SweepError } from "./error.ts";
export { quantileOf, type SweepFigureOptions, sweepFigure } from "./figure.ts";
export { type Grid, type GridAxis, type GridValue, gridSize, type Point, parseGrid, points } from "./grid.ts";
export { canonicalJson, type Job, jobKey, makeJob, makeJobAtOnce } from "./job.ts";
export { columnName, joinRows, type Row, rowOf, type Scalar } from "./row.ts";
export {
  type Column,
  type ColumnType,
  cellOf,
  csvOf,
  jsonOf,
  type SweepTable,
  tableOf,
} from "./table.ts";
