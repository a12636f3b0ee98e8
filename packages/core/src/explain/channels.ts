// Where an image has its channels.

/** Of one example, [rows, columns, channels] rather than [channels, rows, columns]: few in the end, many before. */
export const isChannelsLast = (dims: readonly number[]): boolean =>
  dims.length === 3 && dims[2]! <= 4 && dims[0]! > 4;
