export { type InputShape, inputShapes } from "../affine/compile.ts";
export type { Neighbours } from "./adjacency.ts";
export { type RegionBounds, regionBounds } from "./bounds.ts";
export type { Plane } from "./exact-forms.ts";
export { type Piece, segmentPieces } from "./pieces.ts";
export {
  type AffineMap,
  outputsAt,
  planeRegions,
  type Region,
  type Regions,
  type RegionsOptions,
} from "./regions.ts";
export { boxSlice, planeSlice, type Slice } from "./slice.ts";
