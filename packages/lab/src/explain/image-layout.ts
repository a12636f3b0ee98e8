// Where rows, columns and channels are in what a network takes.
import { ExplainError } from "@lemmata/core/explain";
import { isTensorType, type ValueInfo } from "@lemmata/core/graph";

export interface ImageLayout {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly dims: readonly number[];
  /** Whether the channels of a pixel are beside each other. */
  readonly isLast: boolean;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const isChannels = (d: unknown): d is number => d === 1 || d === 3;

/** The layout of an image for this input; sides that are open are those of the image itself. */
export function imageLayout({ name, type }: ValueInfo, own: Size): ImageLayout {
  const shape = isTensorType(type) ? type.shape : undefined;
  if (!shape || !isTensorType(type) || !/^float(16|32|64)$/.test(type.type))
    throw new ExplainError(`input "${name}" takes no image: a floating-point tensor of known rank is needed`);
  const text = `[${shape.map((d) => d ?? "?").join(", ")}]`;
  const refuse = (why: string): never => {
    throw new ExplainError(`input "${name}" takes ${text}: ${why}`);
  };
  const [batch, ...rest] = shape;
  if (shape.length > 1 && typeof batch === "number" && batch !== 1)
    refuse(`${batch} examples at once, and an image is one`);
  const side = (d: unknown, open: number): number => (typeof d === "number" ? d : open);
  if (rest.length === 3 && isChannels(rest[0])) {
    const [channels, height, width] = [rest[0], side(rest[1], own.height), side(rest[2], own.width)];
    return { channels, height, width, dims: [1, channels, height, width], isLast: false };
  }
  if (rest.length === 3 && isChannels(rest[2])) {
    const [height, width, channels] = [side(rest[0], own.height), side(rest[1], own.width), rest[2]];
    return { channels, height, width, dims: [1, height, width, channels], isLast: true };
  }
  if (rest.length === 2) {
    const [height, width] = [side(rest[0], own.height), side(rest[1], own.width)];
    return { channels: 1, height, width, dims: [1, height, width], isLast: false };
  }
  const length = rest.length === 1 ? rest[0] : shape.length === 1 ? batch : undefined;
  if (typeof length === "number")
    for (const channels of [1, 3]) {
      const root = Math.sqrt(length / channels);
      if (Number.isInteger(root) && root > 3)
        return {
          ...{ channels, height: root, width: root, isLast: false },
          dims: shape.length === 1 ? [length] : [1, length],
        };
    }
  return refuse("that is no image of one or three channels");
}
