/** lowShift + sum of lowSlope * row <= slot <= highShift + sum of highSlope * row; slopes by row, shifts by slot. */
export interface Relaxation {
  readonly lowSlope: Float64Array;
  readonly highSlope: Float64Array;
  readonly lowShift: Float64Array;
  readonly highShift: Float64Array;
  /** Of each layer but maxima, from its first slot on: units that are their row times a slope; then, from the end, others. */
  readonly order: Int32Array;
  /** How many of each there are, at the layer's first slot; units that are 0 are in neither list. */
  readonly straight: Int32Array;
  readonly bent: Int32Array;
}
