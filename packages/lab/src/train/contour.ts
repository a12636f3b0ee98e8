// Where a function on a grid is 0: marching squares, with straight lines between the middles of cells.

/** Segments x1 y1 x2 y2 in cells (the middle of the first cell is 0.5, 0.5), one after the other. */
export function zeroContour(values: Float32Array, side: number): Float32Array {
  const segments: number[] = [];
  const at = (x: number, y: number): number => values[y * side + x]!;
  /** Where between two values the 0 lies. */
  const crossing = (a: number, b: number): number => a / (a - b);
  for (let y = 0; y + 1 < side; y++)
    for (let x = 0; x + 1 < side; x++) {
      const [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
      const places: number[] = [];
      if (a > 0 !== b > 0) places.push(x + crossing(a, b), y);
      if (b > 0 !== c > 0) places.push(x + 1, y + crossing(b, c));
      if (d > 0 !== c > 0) places.push(x + crossing(d, c), y + 1);
      if (a > 0 !== d > 0) places.push(x, y + crossing(a, d));
      for (let k = 0; k + 3 < places.length; k += 4)
        for (let n = 0; n < 4; n++) segments.push(places[k + n]! + 0.5);
    }
  return Float32Array.from(segments);
}

/** The same as an SVG path. */
export function contourPath(values: Float32Array, side: number): string {
  const segments = zeroContour(values, side);
  let path = "";
  for (let k = 0; k < segments.length; k += 4)
    path += `M${segments[k]!.toFixed(2)} ${segments[k + 1]!.toFixed(2)}L${segments[k + 2]!.toFixed(2)} ${segments[k + 3]!.toFixed(2)}`;
  return path;
}
