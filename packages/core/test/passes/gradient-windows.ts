// Random ways to slide windows over a few axes, for property tests.
import fc from "fast-check";

export interface Windows {
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly pads: readonly number[];
  /** Sizes of what the windows lie on: at least one window fits. */
  readonly sizes: readonly number[];
}

const axis = (greatestPad: number) =>
  fc
    .record({
      kernel: fc.integer({ min: 1, max: 3 }),
      stride: fc.integer({ min: 1, max: 3 }),
      dilation: fc.integer({ min: 1, max: 2 }),
      begin: fc.nat(greatestPad),
      end: fc.nat(greatestPad),
      room: fc.nat(3),
    })
    .map(({ kernel, begin, end, room, ...rest }) => ({
      ...rest,
      kernel,
      // Pooling wants less padding than its kernel.
      begin: Math.min(begin, kernel - 1),
      end: Math.min(end, kernel - 1),
      size: (kernel - 1) * rest.dilation + 1 + room,
    }));

export const windows = (greatestRank = 3): fc.Arbitrary<Windows> =>
  fc.array(axis(2), { minLength: 1, maxLength: greatestRank }).map((axes) => ({
    kernel: axes.map((a) => a.kernel),
    strides: axes.map((a) => a.stride),
    dilations: axes.map((a) => a.dilation),
    pads: [...axes.map((a) => a.begin), ...axes.map((a) => a.end)],
    sizes: axes.map((a) => a.size),
  }));

/** Explicit pads, or one of the ways in which they follow from the sizes. */
export const autoPad = fc.constantFrom("NOTSET", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER");
