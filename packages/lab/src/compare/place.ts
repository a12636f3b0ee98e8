// An input that a job cannot use, and where on the page it was given.

export interface Refusal<Place extends string> {
  readonly refused: string;
  readonly at: Place;
}

/** The one line that an error says. */
export const lineOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What `make` gives, or a refusal that names its place. */
export async function placed<T, Place extends string>(
  at: Place,
  make: () => T | Promise<T>,
): Promise<{ readonly value: T } | Refusal<Place>> {
  try {
    return { value: await make() };
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    return { refused: lineOf(error), at };
  }
}
